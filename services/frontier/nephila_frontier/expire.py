"""Tick: leases whose time is over come back."""

from typing import Any

from nephila_contracts.v1.fetch_pb2 import FetchRequested
from nephila_contracts.v1.reason_pb2 import REASON_LOST
from nephila_runtime import Clock, Emit, Handled

from nephila_frontier.dispatch import request
from nephila_frontier.frontier import Frontier
from nephila_frontier.leases import Lease
from nephila_frontier.release import given_up


class Expire:
    """A lease's time runs once the fetcher has passed its message, so that an outage of the fetchers spends
    none. Those from before a restart are published again first, under the same attempt id and a
    higher sequence: what still stood in the log has been fetched by then.
    """

    def __init__(self, frontier: Frontier, clock: Clock) -> None:
        self._frontier = frontier
        self._clock = clock
        self._lease_time = frontier.settings.lease_time.total_seconds()
        self._republish_after = frontier.settings.republish_after.total_seconds()

    async def run(self) -> Handled:
        frontier, now = self._frontier, self._clock.now()
        emits: list[Emit[Any]] = []
        for lease in frontier.leases:
            passed_at = self._passed_at(lease, now)
            if passed_at is None:
                continue
            if lease.older and now - passed_at >= self._republish_after:
                emits.append(self._publish_again(lease))
            elif now - passed_at >= self._lease_time and frontier.run_out(lease, now):
                emits.append(given_up(lease, REASON_LOST))
        if frontier.account.moved(now):
            frontier.changes.spent = frontier.account.pay(now)
        await frontier.save(now)
        return Handled(emits)

    def _passed_at(self, lease: Lease, now: float) -> float | None:
        """When the fetcher was first seen to have passed the lease's message; None when it has not."""
        partition, downstream = lease.host.site.partition, self._frontier.downstream
        if lease.request_end is None:
            # Published by this tick, or by an assignment: durable by now.
            lease.request_end = downstream.requested_through(partition)
        fetched = downstream.fetched_through(partition)
        if lease.passed_at is None and fetched >= lease.request_end:
            lease.passed_at = now
        return lease.passed_at

    def _publish_again(self, lease: Lease) -> Emit[FetchRequested]:
        frontier = self._frontier
        lease.older = False
        lease.sequence = frontier.leases.next_sequence(lease.host.site.partition)
        lease.request_end = lease.passed_at = None
        frontier.changes.leases.append(lease.row())
        return request(frontier, lease)
