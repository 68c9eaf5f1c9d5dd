"""What a process and all that it started use, read from /proc."""

import os
from dataclasses import dataclass
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True, slots=True)
class Usage:
    """Of a tree at one moment. CPU seconds are user and system, those of children that ended included."""

    cpu: float
    resident_bytes: int


def usage(root: int) -> Usage:
    """Zero for what has ended meanwhile."""
    cpu, resident = 0.0, 0
    for pid in _tree(root):
        # The fields of /proc/PID/stat after the name (proc(5)): state is 0, utime 11, rss 21.
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        cpu += sum(map(int, fields[11:15])) / _TICKS
        resident += int(fields[21]) * _PAGE_BYTES
    return Usage(cpu, resident)


def _tree(root: int) -> list[int]:
    found = [root]
    for pid in found:
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                found += map(int, task.read_text().split())
            except OSError:
                continue
    return found
