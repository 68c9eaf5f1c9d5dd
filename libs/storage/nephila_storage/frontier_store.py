"""The frontier's middle and its bookkeeping on disk: what a restart finds again.

Everything is kept by partition. A host has a `number` of its own in its partition, which stands for its
name in every key. A queue is (host, class); its rows are appended by position, the offset of the
message that brought the URL, so that handling a message twice writes the same row.

The frontier alone reads and writes it. One `write` takes all that a step changed.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol


class QueuedUrl(NamedTuple):
    """A URL as it lies in its queue, without its host."""

    # Offset of the message that brought it: the order within a queue.
    position: int
    # Path and query.
    path: str
    # Scheme, kind, redirect hops and depth, packed by the frontier.
    traits: int
    # Of the last visit, packed by the frontier; None for a first one.
    validators: str | None


class QueuedRow(NamedTuple):
    """A `QueuedUrl` with the queue that it is appended to."""

    partition: int
    host: int
    queue_class: int
    position: int
    path: str
    traits: int
    validators: str | None


class QueueSpan(NamedTuple):
    """Where a queue stands. A queue that is empty has none."""

    queue_class: int
    # Position of the last URL that left; -1 for none.
    cursor: int
    # Position of the last URL appended.
    last: int
    # URLs after the cursor.
    urls: int


class HostRow(NamedTuple):
    """A host: who it is, how gently it must be asked, and its queues. Durations in milliseconds."""

    partition: int
    number: int
    name: str
    site_key: str
    # Crawl-delay of its robots.txt; 0 is none.
    crawl_delay_ms: int
    # Usual response time; 0 is not known.
    response_ms: int
    # Failures in a row.
    failures: int
    # Back-off still to wait when the row was written; a reader waits all of it.
    wait_ms: int
    # Address of the last answer; empty when there was none.
    ip: str
    queues: tuple[QueueSpan, ...]


class LeaseRow(NamedTuple):
    """The head of a queue that was handed out: it is out, or it came back and will go out again."""

    partition: int
    host: int
    queue_class: int
    position: int
    # Sequence that its attempt id was made from.
    attempt: int
    # Sequence under which it was published last.
    sequence: int
    # Deferrals that count, and leases that ran out.
    tries: int
    # 429 and 503 in a row.
    back_offs: int
    out: bool


class OriginMark(NamedTuple):
    """The highest origin taken from a partition of a topic."""

    partition: int
    topic: str
    origin_partition: int
    offset: int
    link: int


class DueKey(NamedTuple):
    """A known URL that waits to be visited again."""

    partition: int
    host: int
    secure: bool
    path: str


class Spent(NamedTuple):
    """What the crawl has used up over its whole life."""

    pages: int = 0
    body_bytes: int = 0
    milliseconds: int = 0


class QueueRead(NamedTuple):
    """At most `limit` URLs of a queue from the first after a position."""

    partition: int
    host: int
    queue_class: int
    after: int
    limit: int


@dataclass(slots=True)
class FrontierChanges:
    """What a step changed, written as one."""

    queued: list[QueuedRow] = field(default_factory=list[QueuedRow])
    hosts: list[HostRow] = field(default_factory=list[HostRow])
    leases: list[LeaseRow] = field(default_factory=list[LeaseRow])
    # (partition, host, class): nothing is out of these queues, and no head of theirs was tried.
    closed: list[tuple[int, int, int]] = field(default_factory=list[tuple[int, int, int]])
    # (partition, host, class, position): the segments up to the position are spent.
    spent_segments: list[tuple[int, int, int, int]] = field(
        default_factory=list[tuple[int, int, int, int]]
    )
    due: list[DueKey] = field(default_factory=list[DueKey])
    due_done: list[DueKey] = field(default_factory=list[DueKey])
    origins: list[OriginMark] = field(default_factory=list[OriginMark])
    spent: Spent | None = None


class FrontierStore(Protocol):
    """Where a frontier keeps its partitions."""

    async def raise_epoch(self, partition: int) -> int:
        """The next epoch of a partition, by compare-and-set: no two callers get the same. From 1."""
        ...

    async def hosts(self, partition: int) -> list[HostRow]: ...

    async def leases(self, partition: int) -> list[LeaseRow]: ...

    async def origins(self, partition: int) -> list[OriginMark]: ...

    async def spent(self) -> Spent: ...

    async def read(self, reads: Sequence[QueueRead]) -> list[list[QueuedUrl]]:
        """For each read: the URLs, by position."""
        ...

    async def due(self, keys: Sequence[DueKey]) -> list[bool]:
        """For each key: whether it waits already."""
        ...

    async def write(self, changes: FrontierChanges) -> None:
        """Writes all changes; rows that exist are replaced. Closing precedes opening."""
        ...
