"""What happens when partitions come and go: memory is rebuilt from the store, or given up."""

from nephila_runtime import NOTHING, Assignment, Clock, Handled
from nephila_storage.frontier_store import HostRow, LeaseRow, QueueRead

from nephila_frontier.back_queues import ClassQueue, Held, Host
from nephila_frontier.frontier import Frontier
from nephila_frontier.leases import Lease
from nephila_frontier.origins import Origins


class Restore:
    """Rebuilds a partition under a new epoch.

    Nobody knows when the last request before was sent, so every known host waits its whole delay from
    now, and what was left of its back-off less `rested`: the seconds that have surely passed since.
    """

    def __init__(
        self, frontier: Frontier, origins: Origins, clock: Clock, rested: float = 0.0
    ) -> None:
        self._frontier = frontier
        self._origins = origins
        self._clock = clock
        self._rested = rested

    async def assigned(self, assignment: Assignment) -> Handled:
        frontier, now = self._frontier, self._clock.now()
        await self.revoked(assignment.partitions)
        rested, self._rested = self._rested, 0.0
        frontier.account.resume(await frontier.store.spent(), now)
        for partition in assignment.partitions:
            epoch = await frontier.store.raise_epoch(partition)
            frontier.leases.begin_epoch(partition, epoch)
            self._origins.restore(await frontier.store.origins(partition))
            rows = await frontier.store.hosts(partition)
            hosts = {row.number: self._host(row, now, rested) for row in rows}
            await self._leases(hosts, await frontier.store.leases(partition))
            for host in hosts.values():
                if host.queues:
                    frontier.back.rest(host)
        if rested:
            await frontier.save(now)
        return NOTHING

    async def revoked(self, partitions: tuple[int, ...]) -> None:
        self._frontier.forget(frozenset(partitions))
        self._origins.forget(frozenset(partitions))

    def _host(self, row: HostRow, now: float, rested: float) -> Host:
        frontier = self._frontier
        host = frontier.place(row.partition, row.number, row.name, row.site_key)
        host.crawl_delay = row.crawl_delay_ms / 1000
        host.response_time = row.response_ms / 1000
        host.failures = row.failures
        host.ip = row.ip
        politeness = frontier.politeness
        host.due_at = now + max(frontier.timers.delay(host), politeness.ip_interval)
        host.site.next_at = now + politeness.site_delay
        left = row.wait_ms / 1000 - rested
        if left > 0:
            frontier.timers.wait(host, now + left)
        if row.wait_ms and rested:
            # What is taken off once is not to be taken off again.
            frontier.changed(host)
        for span in row.queues:
            queue = host.queue(span.queue_class)
            queue.cursor = span.cursor
            queue.last, queue.count = span.last, span.urls
            frontier.queued += span.urls
        return host

    async def _leases(self, hosts: dict[int, Host], rows: list[LeaseRow]) -> None:
        """Heads that were handed out. Those still out keep their host's turn and wait for their outcome."""
        frontier = self._frontier
        out: list[tuple[Host, ClassQueue, LeaseRow]] = []
        for row in rows:
            host = hosts[row.host]
            queue = host.queue(row.queue_class)
            queue.held = Held(row.attempt, row.tries, row.back_offs)
            if row.out:
                out.append((host, queue, row))
        reads = [
            QueueRead(row.partition, row.host, row.queue_class, queue.cursor, 1)
            for _, queue, row in out
        ]
        for (host, queue, row), heads in zip(out, await frontier.store.read(reads), strict=True):
            queue.heads = heads
            frontier.loaded += 1
            frontier.queued -= 1
            lease = Lease(host, queue, heads[0], row.attempt)
            lease.sequence, lease.older = row.sequence, True
            host.site.turn = host
            frontier.leases.open(lease)
