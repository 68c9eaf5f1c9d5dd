"""What a person can put right: each fault is one line that names it and its mend."""

import errno
import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from nephila_standalone.exit_codes import ExitCode


class CrawlError(Exception):
    """A fault outside this program. Printed as `nephila: <fault>: <mend>`, without a traceback."""

    exit_code: ExitCode = ExitCode.BUG

    def __init__(self, fault: str, mend: str) -> None:
        super().__init__(f"{fault}: {mend}")
        self.fault = fault
        self.mend = mend

    def lines(self) -> list[str]:
        """The lines to show: one, free of control characters."""
        return [printable(f"nephila: {self.fault}: {self.mend}")]


class BadInput(CrawlError):
    """The command line, a seed file or a setting is wrong."""

    exit_code = ExitCode.BAD_INPUT


class BadInputs(BadInput):
    """Several faults at once: one line each."""

    def __init__(self, faults: Sequence[BadInput]) -> None:
        super().__init__(faults[0].fault, faults[0].mend)
        self.faults = tuple(faults)

    def lines(self) -> list[str]:
        return [line for fault in self.faults for line in fault.lines()]


class DirectoryInUse(CrawlError):
    """Another process holds DIR."""

    exit_code = ExitCode.IN_USE


class OtherCrawl(CrawlError):
    """DIR is of another version, was begun with another plan, or is no crawl."""

    exit_code = ExitCode.OTHER_CRAWL


class CannotWrite(CrawlError):
    """DIR cannot be written. What was committed before stays."""

    exit_code = ExitCode.CANNOT_WRITE


class NothingFetched(CrawlError):
    """The crawl came to its end without one page."""

    exit_code = ExitCode.NOTHING_FETCHED


class DiskStayedFull(OSError):
    """The disk was full for longer than the crawl's patience."""

    def __init__(self) -> None:
        super().__init__(errno.ENOSPC, "the disk stayed full")


_FULL = (errno.ENOSPC, errno.EDQUOT)
_FAILING = (errno.EIO, errno.EROFS)
_SQLITE_FAILING = (sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN)
_GO_ON = "then run the same command again, nothing is lost"


@contextmanager
def writing(path: Path) -> Generator[None]:
    """Turns the refusals of a disk, met while DIR is written, into `CannotWrite`.

    Looks into exception groups too. Other errors pass through: they are bugs, or speak of something
    else than DIR.
    """
    try:
        yield
    except CrawlError:
        raise
    except Exception as error:
        fault = _disk_fault(path, error)
        if fault is None:
            raise
        raise fault from error


def is_disk_full(error: BaseException | None) -> bool:
    """Whether a failure comes from a full disk, wherever in its causes that stands."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in _FULL:
            return True
        if isinstance(error, sqlite3.Error) and _sqlite_code(error) == sqlite3.SQLITE_FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


def is_disk_failing(error: BaseException) -> bool:
    """Whether a failure says that DIR's disk fails or became read-only."""
    if isinstance(error, OSError):
        return error.errno in _FAILING
    return isinstance(error, sqlite3.Error) and _sqlite_code(error) in _SQLITE_FAILING


def _disk_fault(path: Path, error: BaseException) -> CannotWrite | None:
    if isinstance(error, BaseExceptionGroup):
        group: BaseExceptionGroup[BaseException] = error
        return next((f for e in group.exceptions if (f := _disk_fault(path, e))), None)
    if isinstance(error, OSError):
        return _file_fault(path, error)
    if isinstance(error, sqlite3.Error):
        return _sqlite_fault(path, error)
    return _disk_fault(path, error.__cause__) if error.__cause__ else None


def _file_fault(path: Path, error: OSError) -> CannotWrite | None:
    if error.errno in _FULL:
        return _full(path)
    if error.errno in (errno.EACCES, errno.EPERM):
        return CannotWrite(
            f"cannot write in {path} ({error.strerror})",
            "give yourself the right to write there, or name another directory with --into",
        )
    if error.errno == errno.EROFS:
        return _read_only(path)
    if error.errno == errno.EIO:
        return CannotWrite(f"the disk of {path} fails", f"look after the disk, {_GO_ON}")
    return None


def _sqlite_fault(path: Path, error: sqlite3.Error) -> CannotWrite | None:
    code = _sqlite_code(error)
    if code == sqlite3.SQLITE_FULL:
        return _full(path)
    if code in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN):
        return CannotWrite(
            f"cannot write {path / 'state.sqlite'} ({error})",
            "give yourself the right to write there, or name another directory with --into",
        )
    if code == sqlite3.SQLITE_IOERR and _is_read_only(path):
        return _read_only(path)
    if code == sqlite3.SQLITE_IOERR:
        return CannotWrite(f"the disk of {path} fails", f"look after the disk, {_GO_ON}")
    return None


def _sqlite_code(error: sqlite3.Error) -> int:
    # The primary code is the low byte of the extended one.
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _is_read_only(path: Path) -> bool:
    """SQLite calls every failed write an I/O error, also one on what was mounted anew, read-only."""
    with suppress(OSError):
        return bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    return False


def _read_only(path: Path) -> CannotWrite:
    return CannotWrite(
        f"cannot write in {path} (read-only file system)",
        "mount it writable, or name another directory with --into",
    )


def _full(path: Path) -> CannotWrite:
    return CannotWrite(f"the disk of {path} is full", f"make room there, {_GO_ON}")


def printable(text: str) -> str:
    """The text on one line, with what would steer a terminal written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
