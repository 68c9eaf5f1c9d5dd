"""Time as a parameter. The only module that reads the machine's clocks."""

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Clock(Protocol):
    """What time it is, and waiting.

    `now` is monotonic seconds, for gaps and time-outs, comparable within one process only, and runs
    on while the process is stopped. `wall_ms` is milliseconds since 1970, for people and records,
    and never decides an order.
    """

    def now(self) -> float: ...

    def wall_ms(self) -> int: ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    """The machine's clocks."""

    def now(self) -> float:
        # CLOCK_BOOTTIME goes on while the machine sleeps, CLOCK_MONOTONIC does not.
        return time.clock_gettime(time.CLOCK_BOOTTIME)

    def wall_ms(self) -> int:
        return time.time_ns() // 1_000_000

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def boot_id() -> str:
    """Names the boot from which `SystemClock.now` counts; empty where the machine does not tell."""
    try:
        return _BOOT_ID.read_text("ascii").strip()
    except OSError:
        return ""


def wall_datetime(wall_ms: int) -> datetime:
    """A record's time as an aware datetime in UTC."""
    return datetime.fromtimestamp(wall_ms / 1000, UTC)
