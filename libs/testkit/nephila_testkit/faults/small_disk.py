"""A disk of its own for a test: a tmpfs in a mount namespace, so that no root is needed."""

import os
import shlex
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

_BLOCK = bytes(4096)


class SmallDisk:
    """A context. Processes started behind `inside` find the disk at `folder`; this process finds the
    same files at `seen_from_here`. It is gone, with all that lies on it, at the end."""

    def __init__(self, folder: Path, size: int) -> None:
        self.folder = folder
        self._size = size

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        where = shlex.quote(os.fspath(self.folder))
        script = f"mount -t tmpfs -o size={self._size} tmpfs {where}; echo ready; exec sleep 1d"
        self._holder = subprocess.Popen(
            ["unshare", "-rm", "sh", "-euc", script], stdout=subprocess.PIPE, text=True
        )
        assert self._holder.stdout is not None
        if self._holder.stdout.readline() != "ready\n":
            self._end()
            raise RuntimeError("this machine lets no test mount a disk of its own (unshare -rm)")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._end()

    def _end(self) -> None:
        self._holder.kill()
        self._holder.wait()
        if self._holder.stdout is not None:
            self._holder.stdout.close()

    @property
    def inside(self) -> list[str]:
        """Goes before the command of a process that is to see the disk."""
        return ["nsenter", "--preserve-credentials", "-U", "-m", "-t", str(self._holder.pid)]

    @property
    def seen_from_here(self) -> Path:
        return Path(f"/proc/{self._holder.pid}/root{self.folder}")

    @property
    def _ballast(self) -> Path:
        return self.seen_from_here / "ballast"

    def fill(self, leave: int = 0) -> None:
        """Takes all room but `leave` bytes, to within a block."""
        disk = os.statvfs(self.seen_from_here)
        blocks = max(disk.f_bavail * disk.f_frsize - leave, 0) // len(_BLOCK) + (leave == 0)
        ballast = os.open(self._ballast, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC)
        try:
            for _ in range(blocks):
                os.write(ballast, _BLOCK)
        except OSError:
            pass  # Somebody else took the last of it.
        finally:
            os.close(ballast)

    def make_room(self) -> None:
        """Gives back what `fill` took."""
        self._ballast.unlink(missing_ok=True)
