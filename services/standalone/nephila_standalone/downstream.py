"""What the frontier asks of the pipeline behind it, answered by the embedded host."""

import os
from collections.abc import Callable
from pathlib import Path

from nephila_contracts import topics
from nephila_runtime import Clock
from nephila_runtime.embedded_host import EmbeddedHost

_LOOK_AGAIN_AFTER = 0.5


class FreeSpace:
    """Whether the disk of a folder has room left; looked at twice a second at most."""

    def __init__(self, folder: Path, reserve: int, clock: Clock) -> None:
        self._folder = folder
        self._reserve = reserve
        self._clock = clock
        self._looked_at = clock.now() - _LOOK_AGAIN_AFTER
        self._low = False

    def low(self) -> bool:
        now = self._clock.now()
        if now - self._looked_at >= _LOOK_AGAIN_AFTER:
            self._looked_at = now
            self._low = self.is_low_now()
        return self._low

    def is_low_now(self) -> bool:
        disk = os.statvfs(self._folder)
        reserve = min(self._reserve, disk.f_blocks * disk.f_frsize // 16)
        return disk.f_bavail * disk.f_frsize < reserve


def plenty() -> bool:
    """A simulated disk is never low."""
    return False


class EmbeddedDownstream:
    """The frontier's Downstream. The host comes later: its services are built before it."""

    def __init__(self, disk_low: Callable[[], bool]) -> None:
        self.disk_low = disk_low
        self._host: EmbeddedHost | None = None

    def attach(self, host: EmbeddedHost) -> None:
        self._host = host

    @property
    def _running(self) -> EmbeddedHost:
        if self._host is None:
            raise RuntimeError("asked before the host was attached")
        return self._host

    def lag(self) -> int:
        # What is being fetched is bounded by the leases, and is not lag.
        return self._running.lag(topics.PAGE_DOWNLOADED, topics.PAGE_PARSED)

    def requested_through(self, partition: int) -> int:
        return self._running.log.topic(topics.FETCH_REQUESTED.name).ends[partition]

    def fetched_through(self, partition: int) -> int:
        return self._running.watermark(topics.FETCH_REQUESTED, partition)
