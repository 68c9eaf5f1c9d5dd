"""How often hosts failed lately, to show: for `explain`. Reads only."""

from nephila_runtime.database import Database

_THERE = "SELECT 1 FROM sqlite_master WHERE name = 'frontier_host'"
_FAILURES = "SELECT max(failures) FROM frontier_host WHERE name = ?"


def host_failures(database: Database, host: str) -> int:
    """Failures in a row of a host, refusals such as 429 among them; 0 for a host that is not known, or
    when the crawl has not made its tables yet."""
    row = database.row(_FAILURES, (host,)) if database.row(_THERE) else None
    return row[0] or 0 if row else 0
