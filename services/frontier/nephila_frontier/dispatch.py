"""Tick: hosts whose turn has come get a URL leased."""

from collections.abc import Sequence

from nephila_contracts import topics
from nephila_contracts.v1.fetch_pb2 import FetchRequested
from nephila_runtime import NOTHING, Clock, Emit, Handled

from nephila_frontier.entry import unpack_validators
from nephila_frontier.frontier import Frontier
from nephila_frontier.leases import Lease


class Dispatch:
    """Due hosts → fetch_requested, one URL a host and site at a time, while the valve is open.

    A lease is written before it is published, or with it. `after` notes how far the topic had come when
    it was, so that its time starts once the fetcher has passed that.
    """

    def __init__(self, frontier: Frontier, clock: Clock) -> None:
        self._frontier = frontier
        self._clock = clock
        self._closed = False

    def next_at(self) -> float | None:
        """When the next host may be asked; None while only a freed lease or an open valve helps."""
        frontier = self._frontier
        if self._closed or frontier.front or frontier.room() <= 0:
            return None
        return frontier.next_at()

    async def run(self) -> Handled:
        frontier = self._frontier
        now = self._clock.now()
        room = frontier.room()
        if room <= 0 or frontier.nothing_due(now):
            return NOTHING
        self._closed = frontier.valve_closed(now) is not None
        if self._closed:
            return NOTHING
        turns = frontier.take_due(now, room)
        if not turns:
            return NOTHING
        await frontier.refill(turns)
        leases = [frontier.lease(host, queue) for host, queue in turns]
        await frontier.save(now)
        return Handled([request(frontier, lease) for lease in leases], leases)

    async def after(self, leases: Sequence[Lease]) -> None:
        downstream = self._frontier.downstream
        for lease in leases:
            lease.passed_at = None
            lease.request_end = downstream.requested_through(lease.host.site.partition)


def request(frontier: Frontier, lease: Lease) -> Emit[FetchRequested]:
    """What is published of a lease. It waits no more: its host's time has come."""
    message = FetchRequested(
        attempt=lease.as_attempt(),
        delay_ms=int(frontier.timers.delay(lease.host) * 1000),
        validators=unpack_validators(lease.entry.validators),
    )
    return Emit(topics.FETCH_REQUESTED, lease.host.site_key, message)
