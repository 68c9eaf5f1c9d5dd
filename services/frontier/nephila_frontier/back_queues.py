"""Back queues: one a host and class, with only their heads in memory, and the timers of their hosts.

Filled by admit, emptied by dispatch. The unit that takes turns is the *site*: all hosts of a site key,
or one host where the crawl has no site delay. A site has one URL out at a time, so a host is never asked
twice at once. Sites that wait for their time are in one heap, the hosts of a site in another, both by
when they may go: a turn costs O(log n), with millions of hosts.
"""

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from math import inf

from nephila_storage.frontier_store import QueuedUrl, QueueSpan

from nephila_frontier.priority import CLASS_WEIGHTS, CLASSES, LANE_OF, Lane


class Held:
    """What the head of a queue went through, when it was handed out and came back."""

    __slots__ = ("attempt", "back_offs", "tries")

    def __init__(self, attempt: int, tries: int, back_offs: int) -> None:
        self.attempt = attempt
        self.tries = tries
        self.back_offs = back_offs


class ClassQueue:
    """One host's URLs of one class.

    `heads` holds every URL after the cursor up to `read_to`; those after it are on disk alone.
    """

    __slots__ = (
        "count",
        "cursor",
        "heads",
        "held",
        "last",
        "left",
        "queue_class",
        "strides",
    )

    def __init__(self, queue_class: int, strides: float = 0.0) -> None:
        self.queue_class = queue_class
        self.cursor = -1
        self.last = -1
        self.count = 0
        self.heads: Sequence[QueuedUrl] = ()
        self.held: Held | None = None
        # Turns taken, each divided by the class's weight: the least goes next.
        self.strides = strides
        # URLs that left since rows were dropped.
        self.left = 0

    @property
    def read_to(self) -> int:
        """Position up to which URLs are in memory."""
        return self.heads[-1].position if self.heads else self.cursor

    def span(self) -> QueueSpan:
        return QueueSpan(self.queue_class, self.cursor, self.last, self.count)

    def append(self, entry: QueuedUrl, *, keep: bool) -> bool:
        """Takes a URL in at the end; True when it is held in memory too, for which `keep` allows."""
        kept = keep and self.read_to == self.last
        if kept:
            self.heads = [*self.heads, entry]
        self.last = entry.position
        self.count += 1
        return kept

    def leave(self) -> None:
        """The head is done with."""
        self.cursor = self.heads[0].position
        self.heads = self.heads[1:]
        self.held = None
        self.count -= 1
        self.left += 1


class Host:
    """A host as politeness knows it. Times are the clock's, durations seconds."""

    __slots__ = (
        "crawl_delay",
        "due_at",
        "failures",
        "ip",
        "name",
        "number",
        "queues",
        "response_time",
        "resting",
        "site",
        "site_key",
        "wait_until",
    )

    def __init__(self, number: int, name: str, site_key: str, site: "Site") -> None:
        # Its number in its partition.
        self.number = number
        self.name = name
        self.site_key = site_key
        self.site = site
        self.queues: tuple[ClassQueue, ...] = ()
        # When it may be asked again.
        self.due_at = -inf
        # Back-off that `due_at` contains.
        self.wait_until = -inf
        self.crawl_delay = 0.0
        self.response_time = 0.0
        self.failures = 0
        self.ip = ""
        # In its site's heap.
        self.resting = False

    def count(self) -> int:
        return sum(queue.count for queue in self.queues)

    def queue(self, queue_class: int) -> ClassQueue:
        """The queue of a class, made when it is not there.

        A new one starts level with the one that goes next, so that it neither overtakes nor waits
        for all that the others took before.
        """
        for queue in self.queues:
            if queue.queue_class == queue_class:
                return queue
        strides = min((queue.strides for queue in self.queues), default=0.0)
        made = ClassQueue(queue_class, strides)
        self.queues = (*self.queues, made)
        return made

    def drop(self, queue: ClassQueue) -> None:
        """Forgets a queue that is empty."""
        self.queues = tuple(other for other in self.queues if other is not queue)

    def next_queue(self) -> ClassQueue:
        """The queue whose turn it is among the host's own: each class gets its weight, none starves."""
        queues = self.queues
        if len(queues) == 1:
            return queues[0]
        return min(queues, key=lambda queue: queue.strides)


class Site:
    """What takes turns: the hosts of a site key, or one host."""

    __slots__ = ("_heap", "_one", "next_at", "partition", "scheduled_at", "turn")

    def __init__(self, partition: int) -> None:
        self.partition = partition
        # Its hosts that rest. Nearly every site has one host: no heap for that saves 200 bytes.
        self._one: Host | None = None
        self._heap: list[tuple[float, int, Host]] | None = None
        # When any of them may be asked again.
        self.next_at = -inf
        # When the heap of sites will bring it up; inf when it is in none or has its turn.
        self.scheduled_at = inf
        # The host whose turn has come or whose URL is out: until `BackQueues.end_turn` the site is in
        # no heap.
        self.turn: Host | None = None

    def push(self, host: Host) -> None:
        """Takes a host in to rest; its `due_at` does not change until it is popped."""
        if self._heap is not None:
            heappush(self._heap, (host.due_at, host.number, host))
        elif self._one is None:
            self._one = host
        else:
            both = sorted((host.due_at, host.number, host) for host in (self._one, host))
            self._one, self._heap = None, both

    def first(self) -> Host | None:
        """The host that may be asked first; None when none rests."""
        return self._heap[0][2] if self._heap is not None else self._one

    def pop(self) -> Host | None:
        """Takes the first host out."""
        if self._heap is None:
            host, self._one = self._one, None
            return host
        host = heappop(self._heap)[2]
        if not self._heap:
            self._heap = None
        return host


class BackQueues:
    """The timers: which host's turn it is."""

    def __init__(self, shares: tuple[float, float, float]) -> None:
        self._sites: list[tuple[float, int, Site]] = []
        # Order of equal times, so that nothing depends on where objects lie.
        self._pushes = 0
        self._step = _strides(shares)

    def rest(self, host: Host) -> None:
        """Lets a host with URLs wait for its time, unless it does already or has its turn."""
        if not host.resting and host.site.turn is not host:
            host.resting = True
            host.site.push(host)
            self._schedule(host.site)

    def end_turn(self, host: Host) -> None:
        """Frees the host's site; the host waits for its next turn if it has URLs."""
        host.site.turn = None
        if host.queues:
            self.rest(host)
        self._schedule(host.site)

    def _schedule(self, site: Site) -> None:
        first = site.first()
        if site.turn is not None or first is None:
            return
        at = max(site.next_at, first.due_at)
        # An entry at another time than `scheduled_at` is stale and is skipped when it comes up.
        if at < site.scheduled_at:
            site.scheduled_at = at
            self._pushes += 1
            heappush(self._sites, (at, self._pushes, site))

    def take_due(self, now: float) -> Host | None:
        """The next host whose time has come; its site's turn begins. None when nobody's has."""
        sites = self._sites
        while sites and sites[0][0] <= now:
            at, _, site = heappop(sites)
            if at != site.scheduled_at:
                continue
            site.scheduled_at = inf
            host = site.first()
            if host is None or max(site.next_at, host.due_at) > now:
                self._schedule(site)
                continue
            site.pop()
            host.resting = False
            site.turn = host
            return host
        return None

    def took(self, queue: ClassQueue) -> None:
        """Counts a turn of a host's queue."""
        queue.strides += self._step[queue.queue_class]

    def next_at(self) -> float:
        """When the next host's time comes, at the earliest; inf when nobody waits."""
        sites = self._sites
        while sites and sites[0][0] != sites[0][2].scheduled_at:
            heappop(sites)
        return sites[0][0] if sites else inf

    def soonest(self, most: int) -> list[Site]:
        """Sites that wait, soonest first. The `most` first of a heap lie in its first 2^most places;
        for more than 7 the later ones are those of these places."""
        places = [entry for entry in self._sites[:127] if entry[0] == entry[2].scheduled_at]
        sites = dict.fromkeys(site for _, _, site in sorted(places))
        return list(sites)[:most]

    def forget(self, partitions: frozenset[int]) -> None:
        """Gives up what is held of some partitions."""
        self._sites = [entry for entry in self._sites if entry[2].partition not in partitions]
        heapify(self._sites)


def _strides(shares: tuple[float, float, float]) -> tuple[float, ...]:
    """For each class, 1 / (its share of a host's turns)."""
    new = shares[Lane.NEW] / sum(CLASS_WEIGHTS)
    weights = [new * weight for weight in CLASS_WEIGHTS] + [shares[1], shares[2]]
    assert len(weights) == CLASSES == len(LANE_OF)
    return tuple(1.0 / weight for weight in weights)
