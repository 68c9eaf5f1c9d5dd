"""The frontier's memory: hosts, queues, timers and leases of the partitions that it holds.

Its verbs are `add`, `take_due` with `lease`, and `finish`. Each changes memory at once and notes in
`changes` what the store has to know; a step ends with `save`. All of it is rebuilt by `restore`.
"""

import random
from math import ceil

from nephila_contracts.v1.fetch_pb2 import FetchCompleted
from nephila_runtime import Clock
from nephila_storage.frontier_store import (
    DueKey,
    FrontierChanges,
    FrontierStore,
    HostRow,
    QueuedRow,
    QueuedUrl,
    QueueRead,
)

from nephila_frontier import entry as entries
from nephila_frontier import outcome
from nephila_frontier.address_gate import AddressGate
from nephila_frontier.back_queues import BackQueues, ClassQueue, Held, Host, Site
from nephila_frontier.budget import Account, Budget
from nephila_frontier.capacity import CapacitySplit
from nephila_frontier.downstream import Downstream, Overrides
from nephila_frontier.front_queues import FrontQueues
from nephila_frontier.host_timers import HostTimers
from nephila_frontier.leases import Lease, Leases
from nephila_frontier.politeness import Politeness
from nephila_frontier.priority import FAST
from nephila_frontier.settings import FrontierSettings
from nephila_frontier.valve import Valve, ValveClosed

# Hosts moved to the front queues by one dispatch: 100,000 that are due at once, as after a restart, would
# hold up the process for 0.3 s.
_MOST_MOVED = 2_000


class Frontier:
    """Everything that is decided on in memory."""

    def __init__(
        self,
        settings: FrontierSettings,
        store: FrontierStore,
        downstream: Downstream,
        overrides: Overrides,
        budget: Budget,
        clock: Clock,
        rng: random.Random,
    ) -> None:
        shares = (settings.new_share, settings.fast_share, settings.revalidate_share)
        self.settings = settings
        self.store = store
        self.downstream = downstream
        self.overrides = overrides
        self.politeness = Politeness.of(settings)
        self.timers = HostTimers(self.politeness, overrides, rng)
        self.hosts: dict[str, Host] = {}
        self.back = BackQueues(shares)
        self.front: FrontQueues[Host] = FrontQueues(CapacitySplit(shares))
        self.gate: AddressGate[Host] = AddressGate(self.politeness.ip_interval)
        self.leases = Leases()
        self.valve = Valve(settings.most_lag)
        self.account = Account(budget, clock.now())
        self.changes = FrontierChanges()
        # URLs that wait in queues, those that are out not counted.
        self.queued = 0
        # URLs held in memory.
        self.loaded = 0
        # By site key, all of whose hosts lie in one partition.
        self._sites: dict[str, Site] = {}
        self._next_number: dict[int, int] = {}
        self._changed: dict[Host, None] = {}

    # -- add ------------------------------------------------------------------------------------

    def meet(self, partition: int, name: str, site_key: str) -> Host:
        """The host of a name, made when it is new."""
        host = self.hosts.get(name)
        if host is None:
            number = self._next_number.get(partition, 1)
            host = self.place(partition, number, name, site_key)
        return host

    def place(self, partition: int, number: int, name: str, site_key: str) -> Host:
        """Makes a host with a given number."""
        self._next_number[partition] = max(self._next_number.get(partition, 1), number + 1)
        if self.politeness.site_delay <= 0:
            # Hosts are counted one by one: each is a site of its own.
            site = Site(partition)
        elif (site := self._sites.get(site_key)) is None:
            site = self._sites[site_key] = Site(partition)
        host = self.hosts[name] = Host(number, name, site_key, site)
        return host

    def add(self, host: Host, queue_class: int, entry: QueuedUrl) -> None:
        """Queues a URL, unless its position says that it was queued before."""
        queue = host.queue(queue_class)
        if entry.position <= queue.last:
            return
        keep = self.loaded < self.settings.entries_in_memory
        keep = keep and len(queue.heads) < self.settings.heads
        self.loaded += queue.append(entry, keep=keep)
        self.changes.queued.append(QueuedRow(host.site.partition, host.number, queue_class, *entry))
        self._changed[host] = None
        self.queued += 1
        self.back.rest(host)

    # -- next -----------------------------------------------------------------------------------

    def valve_closed(self, now: float) -> ValveClosed | None:
        """Why nothing may be leased now; None when URLs may go out."""
        downstream = self.downstream
        spent = self.account.over(now) is not None
        return self.valve.closed(spent=spent, disk_low=downstream.disk_low(), lag=downstream.lag())

    def next_at(self) -> float:
        """When the time of the next host comes; infinity when no host waits."""
        woken_at = self.gate.next_at()
        rested_at = self.back.next_at()
        return rested_at if woken_at is None else min(woken_at, rested_at)

    def nothing_due(self, now: float) -> bool:
        """No host's time has come: there is nothing to look for."""
        return not self.front and self.next_at() > now

    def room(self) -> int:
        """Leases that may be added to those that are out."""
        room = self.settings.most_leases - len(self.leases)
        pages = self.account.room(self.leases.pages)
        return room if pages is None else min(room, pages)

    def take_due(self, now: float, room: int) -> list[tuple[Host, ClassQueue]]:
        """At most `room` hosts that may be asked now, each with the queue whose turn it is.

        Each must be leased from, or given back by `end_turn`.
        """
        while (host := self.gate.woken(now)) is not None:
            self.front.put(host.next_queue().queue_class, host, first=True)
        for _ in range(_MOST_MOVED):
            host = self.back.take_due(now)
            if host is None:
                break
            if host.queues:
                self.front.put(host.next_queue().queue_class, host)
            else:
                self.back.end_turn(host)
        turns: list[tuple[Host, ClassQueue]] = []
        while len(turns) < room and (host := self.front.take()) is not None:
            if self._may_go(host, now):
                turns.append((host, host.next_queue()))
        return turns

    def _may_go(self, host: Host, now: float) -> bool:
        if max(host.site.next_at, host.due_at) > now:
            self._give_up_turn(host)
            return False
        if self.overrides.held(host.name, host.site_key) is not None:
            self.timers.put_off(host, now)
            self._give_up_turn(host)
            return False
        return self.gate.passes(host.ip, host, now)

    def _give_up_turn(self, host: Host) -> None:
        self.gate.leaves(host.ip, host)
        self.back.end_turn(host)

    async def refill(self, turns: list[tuple[Host, ClassQueue]]) -> None:
        """Reads the heads of those queues that have none in memory."""
        empty = [(host, queue) for host, queue in turns if not queue.heads]
        if not empty:
            return
        room = self.settings.entries_in_memory - self.loaded
        limit = max(1, min(self.settings.heads, room // len(empty)))
        reads = [
            QueueRead(host.site.partition, host.number, queue.queue_class, queue.read_to, limit)
            for host, queue in empty
        ]
        for (_, queue), rows in zip(empty, await self.store.read(reads), strict=True):
            queue.heads = rows
            self.loaded += len(rows)

    def lease(self, host: Host, queue: ClassQueue) -> Lease:
        """Hands out the head of a queue. The host's turn lasts until `finish` or `run_out`."""
        sequence = self.leases.next_sequence(host.site.partition)
        lease = Lease(host, queue, queue.heads[0], sequence)
        self.leases.open(lease)
        self.back.took(queue)
        self.queued -= 1
        self.changes.leases.append(lease.row())
        return lease

    # -- done -----------------------------------------------------------------------------------

    def finish(self, lease: Lease, completed: FetchCompleted, now: float) -> bool:
        """Takes an outcome. True when the URL leaves without a verdict from elsewhere, its tries or
        back-offs spent."""
        self.leases.close(lease)
        self.timers.learn(lease.host, completed, now)
        self._changed[lease.host] = None
        given_up = False
        if outcome.is_deferred(completed):
            # A host that has answered before is away: its URLs outlive that as they outlive a 503.
            away = outcome.is_away(completed) and bool(lease.host.ip)
            lease.tries += outcome.counts_as_try(completed) and not away
            lease.back_offs += outcome.counts_as_back_off(completed) or away
            given_up = (
                lease.tries >= self.settings.most_tries
                or lease.back_offs >= self.settings.most_back_offs
            )
        if outcome.is_deferred(completed) and not given_up:
            self._stay(lease)
        else:
            self.queued += 1
            self._leave(lease.host, lease.queue)
        self.back.end_turn(lease.host)
        return given_up

    def run_out(self, lease: Lease, now: float) -> bool:
        """Takes back a lease whose time is over. True when the URL leaves, lost."""
        self.leases.close(lease)
        # Something may have been sent, so the delay is kept.
        self.timers.ask_later(lease.host, now)
        lease.tries += 1
        lost = lease.tries >= self.settings.most_tries
        if lost:
            self.queued += 1
            self._leave(lease.host, lease.queue)
        else:
            self._stay(lease)
        self._changed[lease.host] = None
        self.back.end_turn(lease.host)
        return lost

    def finish_late(self, completed: FetchCompleted, now: float) -> None:
        """Takes an outcome of an attempt that is out no more: the host's delay is kept, and a URL whose
        lease ran out leaves when it was fetched after all."""
        host = self.hosts.get(completed.attempt.host)
        if host is None:
            return
        if completed.request_sent:
            site = host.site
            site.next_at = max(site.next_at, now + self.timers.delay(host))
        if outcome.is_deferred(completed) or host.site.turn is host:
            return
        attempt = completed.attempt.attempt_id
        for queue in host.queues:
            if queue.held and f"{host.site.partition}.{queue.held.attempt}" == attempt:
                self._leave_unread(host, queue)
                return

    def _leave_unread(self, host: Host, queue: ClassQueue) -> None:
        # The head is in memory: it was when it was leased, and heads are never given up.
        if queue.heads:
            self._leave(host, queue)

    def _stay(self, lease: Lease) -> None:
        lease.queue.held = Held(lease.attempt, lease.tries, lease.back_offs)
        self.changes.leases.append(lease.row(out=False))
        self.queued += 1

    def _leave(self, host: Host, queue: ClassQueue) -> None:
        """The head of a queue is done with: it goes, and its segment when that is spent."""
        partition, head = host.site.partition, queue.heads[0]
        queue.leave()
        self.loaded -= 1
        self.queued -= 1
        self.changes.closed.append((partition, host.number, queue.queue_class))
        if queue.queue_class >= FAST:
            secure = entries.is_secure(head.traits)
            self.changes.due_done.append(DueKey(partition, host.number, secure, head.path))
        if queue.count == 0 or queue.left >= self.settings.segment_urls:
            queue.left = 0
            self.changes.spent_segments.append(
                (partition, host.number, queue.queue_class, queue.cursor)
            )
        if queue.count == 0:
            host.drop(queue)
        self._changed[host] = None

    # -- the store ------------------------------------------------------------------------------

    def changed(self, host: Host) -> None:
        """The host's row is to be written with the next changes."""
        self._changed[host] = None

    async def save(self, now: float) -> None:
        """Writes what was changed since the last time."""
        changes, self.changes = self.changes, FrontierChanges()
        if self._changed:
            changes.hosts = [host_row(host, now) for host in self._changed]
            self._changed = {}
        await self.store.write(changes)

    def forget(self, partitions: frozenset[int]) -> None:
        """Gives up partitions: nothing of them stays in memory."""
        self.leases.forget(partitions)
        self.back.forget(partitions)
        self.front.clear()
        self.gate.clear()
        kept = [host for host in self.hosts.values() if host.site.partition not in partitions]
        self.hosts = {host.name: host for host in kept}
        self._sites = {
            key: site for key, site in self._sites.items() if site.partition not in partitions
        }
        self.timers.forget(partitions)
        self._changed = {}
        self.changes = FrontierChanges()
        out = {lease.host for lease in self.leases}
        for host in kept:
            if host.site.turn is host and host not in out:
                self.back.end_turn(host)
        self.queued = sum(host.count() for host in kept) - len(self.leases)
        self.loaded = sum(len(queue.heads) for host in kept for queue in host.queues)


def host_row(host: Host, now: float) -> HostRow:
    """What the store keeps of a host; its back-off as what is left of it."""
    return HostRow(
        host.site.partition,
        host.number,
        host.name,
        host.site_key,
        int(host.crawl_delay * 1000),
        int(host.response_time * 1000),
        host.failures,
        ceil(max(host.wait_until - now, 0.0) * 1000),
        host.ip,
        tuple(queue.span() for queue in host.queues),
    )
