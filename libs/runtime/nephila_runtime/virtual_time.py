"""Simulated time: an event loop whose clock jumps to the next timer instead of waiting for it.

A run on it is deterministic as long as nothing in it waits for the real world: no sockets, no threads.
"""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

from nephila_runtime.clock import Clock

R = TypeVar("R")

# 2026-01-01T00:00:00Z: where simulated wall time starts.
SIMULATED_START_MS = 1_767_225_600_000


class Stalled(Exception):
    """Every task waits and no timer is set: the run would hang for ever."""


class _JumpingSelector(selectors.SelectSelector):
    """Adds the time that it was asked to wait to the clock instead of waiting."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready:
            if timeout is None:
                raise Stalled("every task waits and no timer is set")
            self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on simulated time."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.now


class VirtualClock(Clock):
    """The clock of a VirtualLoop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def now(self) -> float:
        return self._loop.time()

    def wall_ms(self) -> int:
        return SIMULATED_START_MS + int(self._loop.time() * 1000)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def run_virtual(main: Coroutine[Any, Any, R]) -> R:
    """Runs a coroutine to its end on a loop of its own with simulated time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
