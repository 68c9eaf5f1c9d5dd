"""One process a DIR: a lock that the kernel frees when its holder dies, however it dies."""

import fcntl
import os
from pathlib import Path

from nephila_standalone.errors import DirectoryInUse

LOCK_NAME = "lock"


class DirectoryLock:
    """Held while open. The file stays when it is let go: only its lock means anything.

    A forked child shares the lock, so child processes are started by exec alone.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    @classmethod
    def take(cls, directory: Path) -> "DirectoryLock":
        """Raises DirectoryInUse, with the holder's pid, when another process has it; OSError when
        the file cannot be made."""
        path = directory / LOCK_NAME
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            _lock_exclusively(descriptor)
        except BlockingIOError:
            holder = _pid_in(descriptor)
            os.close(descriptor)
            raise _in_use(directory, holder) from None
        except OSError:
            os.close(descriptor)
            raise
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, b"%d\n" % os.getpid(), 0)
        except OSError:
            os.close(descriptor)
            raise
        return cls(descriptor)

    def release(self) -> None:
        os.close(self._descriptor)


def _lock_exclusively(descriptor: int) -> None:
    """Raises BlockingIOError when another process holds the lock, rather than looks at it."""
    for _ in range(100):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            # Got beside other shared locks only, which `holder_of` holds for microseconds.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
            fcntl.flock(descriptor, fcntl.LOCK_UN)
        else:
            return
    raise BlockingIOError


def holder_of(directory: Path) -> int | None:
    """The pid of the process that holds the lock; None when nobody does. 0 when it is not readable.

    Takes a shared lock for an instant; whoever wants the lock itself tries again then.
    """
    try:
        descriptor = os.open(directory / LOCK_NAME, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _pid_in(descriptor)
    finally:
        os.close(descriptor)
    return None


def _pid_in(descriptor: int) -> int:
    text = os.pread(descriptor, 32, 0).strip()
    return int(text) if text.isdigit() else 0


def _in_use(directory: Path, holder: int) -> DirectoryInUse:
    by = f"process {holder}" if holder else "another process"
    stop = f"`kill {holder}` ends it in order" if holder else "stop it"
    return DirectoryInUse(
        f"{directory} is in use by {by}",
        f"wait for it, or {stop}; `nephila status {directory}` shows how far it is",
    )
