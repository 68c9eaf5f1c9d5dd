"""A process that outlives the one that started it, found again by its pid file.

Linux only. The file holds the pid and the instant of birth, so that a pid which went to another
program is never taken for ours; a zombie counts as ended, although it still answers `kill -0`.
"""

import os
import select
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

# Places in /proc/PID/stat behind the name of the program (proc(5)).
_STATE, _SESSION, _BORN = 0, 3, 19


@dataclass(frozen=True, slots=True)
class Command:
    """What to run, and what its environment has beside ours."""

    arguments: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident bytes."""

    now: int
    peak: int


@dataclass(frozen=True, slots=True)
class Daemon:
    """At most one process, run in `directory`: its output goes to `log`, its forerunner's is `log.1`."""

    directory: Path

    @property
    def log(self) -> Path:
        return self.directory / "log"

    @property
    def pid(self) -> int | None:
        """None when it does not run."""
        try:
            pid, born = (int(number) for number in self._pid_file.read_text().split())
        except (OSError, ValueError):
            return None
        with suppress(ChildProcessError):
            # Our own child stays a zombie until we ask for it.
            os.waitpid(pid, os.WNOHANG)
        stat = _stat(pid)
        return pid if stat and stat[_BORN] == str(born) and stat[_STATE] not in "ZX" else None

    def spawn(self, command: Command) -> int:
        """Starts it in a session of its own and returns its pid. The caller sees that none runs."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with suppress(FileNotFoundError):
            self.log.rename(f"{self.log}.1")
        # posix_spawn instead of Popen, which warns about every process that it does not see ended.
        pid = os.posix_spawnp(
            "env",
            ["env", "-C", str(self.directory), *command.arguments],
            {**os.environ, **command.environment},
            setsid=True,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(self.log), os.O_WRONLY | os.O_CREAT, 0o644),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
        )
        stat = _stat(pid)
        self._pid_file.write_text(f"{pid} {stat[_BORN] if stat else 0}\n")
        return pid

    def end(self, patience_s: float) -> bool:
        """Asks it to end, and kills it after `patience_s`, which may be 0. Whether one ran.

        Returns once neither it nor another process of its session is left.
        """
        pid = self.pid
        if pid is None:
            return False
        try:
            handle = os.pidfd_open(pid)
        except ProcessLookupError:
            return False  # It ended by itself just now.
        try:
            if self.pid != pid:
                return False
            if patience_s:
                signal.pidfd_send_signal(handle, signal.SIGTERM)
            if not patience_s or not has_ended(handle, patience_s):
                signal.pidfd_send_signal(handle, signal.SIGKILL)
                has_ended(handle, None)
        except ProcessLookupError:
            pass  # It was reaped between two lines.
        finally:
            os.close(handle)
        with suppress(ProcessLookupError):
            os.killpg(pid, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
        self._pid_file.unlink(missing_ok=True)
        return True

    def memory(self) -> Memory | None:
        """None when it does not run."""
        pid = self.pid
        if pid is None:
            return None
        status = Path(f"/proc/{pid}/status").read_text()
        fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
        return Memory(*(int(fields[key].split()[0]) * 1024 for key in ("VmRSS", "VmHWM")))

    def said(self, text: str) -> bool:
        """Whether its output holds the text."""
        try:
            return text in self.log.read_text(errors="replace")
        except FileNotFoundError:
            return False

    def last_lines(self, count: int = 20) -> str:
        try:
            return "\n".join(self.log.read_text(errors="replace").splitlines()[-count:])
        except FileNotFoundError:
            return ""

    @property
    def _pid_file(self) -> Path:
        return self.directory / "pid"


def session_of(pid: int) -> list[int]:
    """Pids of the living processes of the session that `pid` led."""
    found: list[int] = []
    for entry in Path("/proc").iterdir():
        stat = _stat(int(entry.name)) if entry.name.isdigit() else []
        if stat and stat[_SESSION] == str(pid) and stat[_STATE] not in "ZX":
            found.append(int(entry.name))
    return found


def _stat(pid: int) -> list[str]:
    """Empty when there is no such process. The program's name may hold blanks and brackets."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def has_ended(handle: int, patience_s: float | None) -> bool:
    """Waits for the end of the process of a pidfd; a zombie has ended."""
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    return bool(waiting.poll(None if patience_s is None else patience_s * 1000))
