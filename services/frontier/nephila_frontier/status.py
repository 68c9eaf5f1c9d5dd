"""What a frontier shows to people, and to whoever decides that a crawl is over."""

from dataclasses import dataclass
from enum import StrEnum
from heapq import nlargest
from math import inf

from nephila_runtime import Clock
from nephila_storage.frontier_store import Spent

from nephila_frontier.back_queues import Host
from nephila_frontier.budget import BudgetSpent
from nephila_frontier.frontier import Frontier
from nephila_frontier.valve import ValveClosed

# Counting the busiest costs about 0.1 microseconds a host: at most a thousandth of the time goes there.
_SECONDS_A_HOST = 1e-4


class Wait(StrEnum):
    """Why a host with URLs is not asked now."""

    DELAY = "delay"
    CRAWL_DELAY = "crawl delay"
    BACK_OFF = "back-off"
    HELD = "paused or blocklisted"
    TURN = "waits for a lease"


@dataclass(frozen=True, slots=True)
class WaitingHost:
    """A host that waits. `seconds` until it may be asked; 0 when only a lease is missing."""

    host: str
    seconds: float
    why: Wait


@dataclass(frozen=True, slots=True)
class BusyHost:
    """A host with the URLs that wait in its queues, the one that is out included."""

    host: str
    urls: int


@dataclass(frozen=True, slots=True)
class FrontierStatus:
    """A frontier at one instant.

    The crawl has nothing left when `queued` and `leased` are 0 and no input waits; it is over, too,
    when `over` names a limit and `leased` is 0.
    """

    # URLs that wait, those that are out not counted.
    queued: int
    # URLs that are out.
    leased: int
    # Hosts met so far.
    hosts: int
    # Hosts that failed and are left alone longer than their delay.
    backed_off: int
    # Hosts whose time has come and which wait for a lease.
    ready: int
    # Why nothing is let out; None when URLs may go out.
    closed: ValveClosed | None
    # The budget that is spent.
    over: BudgetSpent | None
    spent: Spent
    # Seconds until the next host may be asked; None when no host waits.
    next_in: float | None
    # The soonest first, a handful.
    waiting: tuple[WaitingHost, ...]
    # The longest queues first, a handful; may be some seconds old when there are many hosts.
    busiest: tuple[BusyHost, ...]


class FrontierView:
    """The frontier as those see it who host it: cheap to ask a few times a second."""

    def __init__(self, frontier: Frontier, clock: Clock, most: int = 7) -> None:
        self._frontier = frontier
        self._clock = clock
        self._most = most
        self._busiest: tuple[BusyHost, ...] = ()
        self._count_again_at = -inf

    def pause(self) -> None:
        """Lets nothing out any more; what is out comes back."""
        self._frontier.valve.paused = True

    def resume(self) -> None:
        self._frontier.valve.paused = False

    def status(self) -> FrontierStatus:
        frontier, now = self._frontier, self._clock.now()
        next_at = frontier.next_at()
        return FrontierStatus(
            queued=frontier.queued,
            leased=len(frontier.leases),
            hosts=len(frontier.hosts),
            backed_off=len(frontier.timers.backed_off),
            ready=len(frontier.front),
            closed=frontier.valve_closed(now),
            over=frontier.account.over(now),
            spent=frontier.account.spent,
            next_in=None if next_at == inf else max(next_at - now, 0.0),
            waiting=tuple(self._waiting(now)),
            busiest=self._count_busiest(now),
        )

    def _waiting(self, now: float) -> list[WaitingHost]:
        waiting: list[WaitingHost] = []
        for site in self._frontier.back.soonest(self._most):
            host = site.first()
            if host is None:
                continue
            at = max(site.next_at, host.due_at)
            waiting.append(WaitingHost(host.name, max(at - now, 0.0), self._why(host, now)))
        return sorted(waiting, key=lambda entry: entry.seconds)

    def _why(self, host: Host, now: float) -> Wait:
        if self._frontier.overrides.held(host.name, host.site_key) is not None:
            return Wait.HELD
        if max(host.site.next_at, host.due_at) <= now:
            return Wait.TURN
        if host.wait_until > now:
            return Wait.BACK_OFF
        return Wait.CRAWL_DELAY if host.crawl_delay else Wait.DELAY

    def _count_busiest(self, now: float) -> tuple[BusyHost, ...]:
        if now >= self._count_again_at:
            hosts = self._frontier.hosts
            self._count_again_at = now + len(hosts) * _SECONDS_A_HOST
            counts = ((host.count(), name) for name, host in hosts.items() if host.queues)
            self._busiest = tuple(BusyHost(n, c) for c, n in nlargest(self._most, counts))
        return self._busiest
