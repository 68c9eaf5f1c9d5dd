"""One process at a time, by a lock file."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(path: Path) -> Generator[None]:
    """Waits for the lock; the end of the process frees it too."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
