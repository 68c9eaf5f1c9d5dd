"""Drives an assembly to its end: nothing left, a budget spent, only hosts that are away, or stopped."""

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from nephila_contracts.names import reason_name
from nephila_frontier import BudgetSpent, FrontierStatus, ValveClosed, Wait, WaitingHost
from nephila_runtime import Clock, Emit

from nephila_standalone.assembly import Assembly
from nephila_standalone.errors import DiskStayedFull
from nephila_standalone.progress import (
    DRAIN_LIMIT,
    CrawlState,
    FinishReason,
    HostActivity,
    Progress,
    Waiting,
    WaitReason,
)
from nephila_standalone.tally import Tally

LOOK_EVERY = timedelta(milliseconds=100)
_RATE_OVER_SECONDS = 10.0
_BUSIEST = 7
_FINISH = {
    BudgetSpent.PAGES: FinishReason.PAGE_BUDGET,
    BudgetSpent.BODY_BYTES: FinishReason.BYTE_BUDGET,
    BudgetSpent.TIME: FinishReason.TIME_BUDGET,
}
_WHY = {
    Wait.DELAY: WaitReason.CRAWL_DELAY,
    Wait.CRAWL_DELAY: WaitReason.CRAWL_DELAY,
    Wait.BACK_OFF: WaitReason.BACK_OFF,
    Wait.HELD: WaitReason.HELD,
    Wait.TURN: WaitReason.TURN,
}


class Meter:
    """What only a whole run can tell: its time, and its rate. Outlives the assemblies of a run."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.now()
        self._recent: deque[tuple[float, int]] = deque()
        self._before: int | None = None

    def elapsed(self) -> float:
        return self._clock.now() - self._began

    def before(self, pages: int) -> int:
        """Pages of earlier runs: those that stood when this one was first asked."""
        if self._before is None:
            self._before = pages
        return self._before

    def rate(self, pages: int) -> float:
        """Pages a second over the last ten seconds or so."""
        now = self._clock.now()
        self._recent.append((now, pages))
        while now - self._recent[0][0] > _RATE_OVER_SECONDS:
            self._recent.popleft()
        since, first = self._recent[0]
        return (pages - first) / (now - since) if now > since else 0.0


@dataclass(frozen=True, slots=True)
class Patience:
    """How long a crawl waits before it ends, with what is left still queued."""

    # For hosts, when all that are left have backed off.
    hosts: timedelta
    # For room on a disk that is nearly full: the same as for room on a full one.
    disk: timedelta


@dataclass(frozen=True)
class Drive:
    """One assembly from its first messages to the crawl's end, or to what makes its host fail."""

    assembly: Assembly
    clock: Clock
    meter: Meter
    patience: Patience
    tell: Callable[[Progress], None]
    stop: asyncio.Event

    async def to_end(self, first: Sequence[Emit[Any]]) -> Progress:
        """Publishes `first`, then runs until the end; the last snapshot says why.

        Raises what made the host fail.
        """
        host_stop = asyncio.Event()
        running = asyncio.create_task(self.assembly.host.run(host_stop))
        published = asyncio.create_task(self.assembly.host.publish(first))
        try:
            await asyncio.wait({published, running}, return_when=asyncio.FIRST_COMPLETED)
            return await self._watch(running)
        finally:
            published.cancel()
            host_stop.set()
            await running

    async def _watch(self, running: asyncio.Task[None]) -> Progress:
        drain_until: float | None = None
        roomy_at = self.clock.now()
        while not running.done():
            if self.stop.is_set() and drain_until is None:
                self.assembly.frontier.pause()
                drain_until = self.clock.now() + DRAIN_LIMIT.total_seconds()
            status = self.assembly.frontier.status()
            finish = self._finish(status, drain_until)
            progress = await self._snapshot(status, finish, draining=drain_until is not None)
            self.tell(progress)
            if finish is not None:
                return progress
            if not _disk_low(status):
                roomy_at = self.clock.now()
            elif self.clock.now() - roomy_at >= self.patience.disk.total_seconds():
                raise DiskStayedFull
            await asyncio.wait({running}, timeout=LOOK_EVERY.total_seconds())
        await running
        raise RuntimeError("the host ended without being asked to")

    def _finish(self, status: FrontierStatus, drain_until: float | None) -> FinishReason | None:
        """Why the crawl is over; None while it is not."""
        if status.leased or not self.assembly.host.idle():
            late = drain_until is not None and self.clock.now() >= drain_until
            return FinishReason.STOPPED if late else None
        if self.stop.is_set():
            return FinishReason.STOPPED
        if status.over is not None:
            return _FINISH[status.over]
        if not status.queued:
            return FinishReason.NOTHING_LEFT
        away = status.next_in is not None and status.next_in > self.patience.hosts.total_seconds()
        return FinishReason.HOSTS_AWAY if away else None

    async def _snapshot(
        self, status: FrontierStatus, finish: FinishReason | None, *, draining: bool
    ) -> Progress:
        """The numbers of this moment."""
        tally = self.assembly.tally
        pages = status.spent.pages
        refused = await self.assembly.refusals.totals()
        return Progress(
            state=_state(status, finish, draining),
            elapsed=self.meter.elapsed(),
            pages=pages,
            pages_before=self.meter.before(pages),
            pages_per_second=self.meter.rate(pages),
            bytes=status.spent.body_bytes,
            queued=status.queued,
            leased=status.leased,
            duplicates=tally.duplicates,
            failed=tally.failed(),
            refused={reason_name(reason): n for reason, n in refused.items()},
            busiest=_busiest(tally, status),
            waiting=tuple(_waiting(host) for host in status.waiting),
            paused_by="the disk of DIR is almost full" if _disk_low(status) else "",
            finish=finish,
        )


def _disk_low(status: FrontierStatus) -> bool:
    return status.closed is ValveClosed.DISK_LOW


def _state(status: FrontierStatus, finish: FinishReason | None, draining: bool) -> CrawlState:
    if finish is not None:
        return CrawlState.DONE
    if draining or status.over is not None:
        return CrawlState.DRAINING
    return CrawlState.PAUSED if _disk_low(status) else CrawlState.CRAWLING


def _busiest(tally: Tally, status: FrontierStatus) -> tuple[HostActivity, ...]:
    queued = {busy.host: busy.urls for busy in status.busiest}
    fetched = tally.fetched_by_host
    names = [name for name, _ in fetched.most_common(_BUSIEST)] or list(queued)[:_BUSIEST]
    return tuple(HostActivity(name, fetched[name], queued.get(name, 0)) for name in names)


def _waiting(host: WaitingHost) -> Waiting:
    return Waiting(host.host, host.seconds, _WHY[host.why])
