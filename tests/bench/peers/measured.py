"""One crawl, with its whole process tree on one core: CPU time, memory and speed, seen from outside."""

import ctypes
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bench_web

CRAWLER_CORE = 0
WARM = 1_000
"""Pages after which the marginal cost is counted: start, imports and first connections lie before."""
_LOOK_SECONDS = 0.1
_MOST_SECONDS = 1_800.0
_PR_SET_CHILD_SUBREAPER = 36
_TICKS = os.sysconf("SC_CLK_TCK")
_MB = 1e6


@dataclass(frozen=True)
class Look:
    """The tree at one moment; CPU seconds also of its processes that have ended."""

    at: float
    cpu: float
    pages: int


@dataclass(frozen=True)
class Run:
    """CPU seconds are user and system of all processes that the crawler started, none left out."""

    pages: int
    user: float
    system: float
    start: float
    """CPU seconds before the first page was asked for."""
    marginal: float | None
    """CPU seconds for 1,000 pages after the first thousand; None for a crawl that was no longer."""
    wall: float
    pages_per_second: float
    peak_mb: float
    """The highest sum of the processes' resident memory, shared pages counted for each."""
    read_mb: float
    written_mb: float
    exit_status: int

    @property
    def cpu_per_1000(self) -> float:
        return (self.user + self.system) / max(self.pages, 1) * 1_000


def adopt_orphans() -> None:
    """A crawler's process that outlives its parent becomes ours, so that its CPU time is counted too."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def measure(command: list[str], log: Path, bytecode: Path) -> Run:
    """Runs the command to its end. Only one at a time, and no other child may end meanwhile.

    Python keeps what it compiled in the folder `bytecode`, whatever the environment says of it.
    """
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(bytecode)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    bench_web.counts(reset=True)
    before = os.times()
    began = time.monotonic()
    pinned = ["taskset", "-c", str(CRAWLER_CORE), *command]
    with log.open("wb") as output:
        process = subprocess.Popen(
            pinned, stdout=output, stderr=output, start_new_session=True, env=environment
        )
    try:
        looks, peak, traffic = _watch(process, began)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    wall = time.monotonic() - began
    _reap_orphans(process.pid)
    after = os.times()
    served = bench_web.counts()
    user = after.children_user - before.children_user
    system = after.children_system - before.children_system
    end = Look(wall, user + system, served["pages_ok"])
    return Run(
        pages=end.pages,
        user=round(user, 2),
        system=round(system, 2),
        start=next((look.cpu for look in looks if look.pages), 0.0),
        marginal=_marginal(looks, end),
        wall=round(wall, 2),
        pages_per_second=round(end.pages / wall, 1),
        peak_mb=round(peak / _MB, 1),
        read_mb=round(traffic[0] / _MB, 1),
        written_mb=round(traffic[1] / _MB, 1),
        exit_status=process.returncode,
    )


def _watch(
    process: subprocess.Popen[bytes], began: float
) -> tuple[list[Look], int, tuple[int, int]]:
    """Looks at the tree until it ends: the looks, peak memory, and bytes read from and sent to disk."""
    looks: list[Look] = []
    peak = 0
    traffic: dict[int, tuple[int, int]] = {}
    while process.poll() is None:
        at = time.monotonic() - began
        if at > _MOST_SECONDS:
            os.killpg(process.pid, signal.SIGKILL)
        tree = _tree(process.pid)
        peak = max(peak, sum(_resident(pid) for pid in tree))
        looks.append(Look(at, sum(map(_cpu, tree)), bench_web.counts()["pages_ok"]))
        traffic.update({pid: moved for pid in tree if (moved := _moved(pid)) is not None})
        time.sleep(_LOOK_SECONDS)
    read = sum(moved[0] for moved in traffic.values())
    return looks, peak, (read, sum(moved[1] for moved in traffic.values()))


def _marginal(looks: list[Look], end: Look) -> float | None:
    warm = next((look for look in looks if look.pages >= WARM), None)
    if warm is None or end.pages < 2 * WARM:
        return None
    return round((end.cpu - warm.cpu) / (end.pages - warm.pages) * 1_000, 3)


def _reap_orphans(group: int) -> None:
    """Waits for what the crawler left behind; a crawler that leaves anything running has it ended."""
    for pid in _children(os.getpid()):
        fields = _stat(pid)
        if fields is None or int(fields[2]) not in (group, pid):
            continue
        os.kill(pid, signal.SIGTERM)
        os.waitpid(pid, 0)


def _tree(root: int) -> list[int]:
    found = [root]
    for pid in found:
        found += _children(pid)
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found += map(int, task.read_text().split())
        except OSError:
            continue
    return found


def _stat(pid: int) -> list[str] | None:
    """The fields of /proc/PID/stat after the name: state, parent, group, session and so on (proc(5))."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None


def _cpu(pid: int) -> float:
    """User and system time, that of children waited for included."""
    fields = _stat(pid)
    return sum(map(int, fields[11:15])) / _TICKS if fields else 0.0


def _resident(pid: int) -> int:
    fields = _stat(pid)
    return int(fields[21]) * os.sysconf("SC_PAGE_SIZE") if fields else 0


def _moved(pid: int) -> tuple[int, int] | None:
    try:
        lines = Path(f"/proc/{pid}/io").read_text().splitlines()
    except OSError:
        return None
    fields: dict[str, Any] = dict(line.split(": ") for line in lines)
    return int(fields["read_bytes"]), int(fields["write_bytes"])
