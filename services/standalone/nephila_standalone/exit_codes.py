"""How the command ends, as a number for scripts. The README of this service lists the same table."""

from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of `nephila`."""

    # Done: nothing is left, a budget is spent, or one Ctrl-C drained it.
    DONE = 0
    # Our own bug: the traceback is shown.
    BUG = 1
    # The command line, a seed file or a setting is wrong; nothing was touched.
    BAD_INPUT = 2
    # Another process holds DIR.
    IN_USE = 3
    # DIR is of another version, of another plan, or no crawl at all.
    OTHER_CRAWL = 4
    # DIR cannot be written: permissions, a read-only or a full disk. What was committed is kept.
    CANNOT_WRITE = 5
    # Not one page could be had.
    NOTHING_FETCHED = 6
    # Stopped at once, by a second Ctrl-C.
    INTERRUPTED = 130
