"""Leases: URLs handed out, to come back as an outcome or to run out."""

from collections.abc import Iterator

from nephila_contracts.v1.fetch_pb2 import Attempt
from nephila_contracts.v1.url_pb2 import URL_KIND_UNSPECIFIED
from nephila_storage.frontier_store import LeaseRow, QueuedUrl

from nephila_frontier import entry as entries
from nephila_frontier.back_queues import ClassQueue, Host

EPOCH = 1 << 40


class Lease:
    """A URL that is out."""

    __slots__ = (
        "attempt",
        "attempt_id",
        "back_offs",
        "entry",
        "host",
        "is_page",
        "older",
        "passed_at",
        "queue",
        "request_end",
        "sequence",
        "tries",
    )

    def __init__(self, host: Host, queue: ClassQueue, entry: QueuedUrl, attempt: int) -> None:
        self.host = host
        self.queue = queue
        self.entry = entry
        # The sequence that its attempt id is made from; `sequence` is raised when it is published again.
        self.attempt = attempt
        self.attempt_id = f"{host.site.partition}.{attempt}"
        self.sequence = attempt
        held = queue.held
        self.tries = held.tries if held else 0
        self.back_offs = held.back_offs if held else 0
        self.is_page = entries.kind_of(entry.traits) == URL_KIND_UNSPECIFIED
        # Its message lies below this offset of fetch_requested; None until it is published.
        self.request_end: int | None = None
        # When the fetcher was seen to have passed that message: its time runs from then.
        self.passed_at: float | None = None
        # Taken over from before the assignment.
        self.older = False

    def row(self, *, out: bool = True) -> LeaseRow:
        site = self.host.site
        return LeaseRow(
            site.partition,
            self.host.number,
            self.queue.queue_class,
            self.entry.position,
            self.attempt,
            self.sequence,
            self.tries,
            self.back_offs,
            out,
        )

    def as_attempt(self) -> Attempt:
        """What rides on its messages."""
        host, traits = self.host, self.entry.traits
        return Attempt(
            url=entries.url_of(host.name, self.entry),
            site_key=host.site_key,
            host=host.name,
            attempt_id=self.attempt_id,
            sequence=self.sequence,
            kind=entries.kind_of(traits),
            depth=entries.depth_of(traits),
            redirect_hops=entries.redirect_hops_of(traits),
            tries=self.tries,
        )


class Leases:
    """The open leases, and the numbers of new ones."""

    def __init__(self) -> None:
        self._open: dict[str, Lease] = {}
        self._next: dict[int, int] = {}
        self.pages = 0

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[Lease]:
        return iter(list(self._open.values()))

    def begin_epoch(self, partition: int, epoch: int) -> None:
        """Sequences of the partition go on from epoch x 2^40."""
        self._next[partition] = epoch * EPOCH + 1

    def next_sequence(self, partition: int) -> int:
        """Higher than every one before, of this epoch and of those before."""
        sequence = self._next[partition]
        self._next[partition] = sequence + 1
        return sequence

    def open(self, lease: Lease) -> None:
        self._open[lease.attempt_id] = lease
        self.pages += lease.is_page

    def find(self, attempt_id: str) -> Lease | None:
        return self._open.get(attempt_id)

    def close(self, lease: Lease) -> None:
        del self._open[lease.attempt_id]
        self.pages -= lease.is_page

    def forget(self, partitions: frozenset[int]) -> None:
        """Gives up what is held of some partitions."""
        for lease in self:
            if lease.host.site.partition in partitions:
                self.close(lease)
