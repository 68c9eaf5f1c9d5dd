"""The words in which a service is written: Emit, Record, Handled, Step, Tick, Service.

A step returns its effects; the host that runs it publishes them, makes them durable, commits the
offsets, and only then runs `after` with what was learned.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Generic, TypeVar

from google.protobuf.message import Message
from nephila_contracts import Topic

M = TypeVar("M", bound=Message)


class Emit(Generic[M]):
    """A message to publish. `key` decides the partition: the site key, or what the topic is keyed by.

    A message is never changed once emitted: the embedded host hands the same object on.
    """

    __slots__ = ("key", "message", "topic")

    def __init__(self, topic: Topic[M], key: str, message: M) -> None:
        self.topic = topic
        self.key = key
        self.message = message

    def __repr__(self) -> str:
        return f"Emit({self.topic.name}, {self.key!r})"


class Record(Generic[M]):
    """A message taken from a topic, with where it stood."""

    __slots__ = ("key", "message", "offset", "partition")

    def __init__(self, partition: int, offset: int, key: str, message: M) -> None:
        self.partition = partition
        self.offset = offset
        self.key = key
        self.message = message

    def __repr__(self) -> str:
        return f"Record({self.partition}:{self.offset}, {self.key!r})"


@dataclass(frozen=True, slots=True)
class Handled:
    """What a step or tick did: messages to publish, and what `after` is to remember once they are durable."""

    emits: Sequence[Emit[Any]] = ()
    learned: Any = None


NOTHING = Handled()


@dataclass(frozen=True)
class WholeBatches:
    """Order: one batch at a time, each of at most `limit` records in partition order."""

    limit: int = 500


@dataclass(frozen=True)
class ByKey:
    """Order: one record at a time of each key, at most `under_way` records in all.

    `handle` gets batches of one record. `key` says what must not overlap (default: the record's
    own key). Records of different keys finish in any order; their offsets are committed up to a low
    watermark, with those finished beyond it kept beside.
    """

    under_way: int = 64
    key: Callable[[Record[Any]], str] = field(default=lambda record: record.key)


async def _forget(_learned: Any) -> None:
    return None


@dataclass(frozen=True)
class Step(Generic[M]):
    """One thing that a service does with the messages of one topic.

    `handle` takes a batch and returns its effects; it may run twice for one record. `after` runs
    once they are committed, and may be skipped by a crash. `on_dead` says what still has to be
    emitted for a record that went to the dead letters, such as the verdict of a poisoned page.
    Rows written through a store in `handle` commit together with the emits where the host can do
    that, and before them where it cannot.
    """

    name: str
    consumes: Topic[M]
    produces: tuple[Topic[Any], ...]
    handle: Callable[[Sequence[Record[M]]], Awaitable[Handled]]
    order: WholeBatches | ByKey = WholeBatches()
    after: Callable[[Any], Awaitable[None]] = _forget
    on_dead: Callable[[Record[M], str], Sequence[Emit[Any]]] | None = None


def _no_sooner() -> float | None:
    return None


@dataclass(frozen=True)
class Tick:
    """Something that a service does by itself: at least once each `every`, at `next_at` on the clock
    when that is sooner, and, when `eager`, right after each batch that one of its steps has handled."""

    name: str
    every: timedelta
    produces: tuple[Topic[Any], ...]
    run: Callable[[], Awaitable[Handled]]
    after: Callable[[Any], Awaitable[None]] = _forget
    eager: bool = False
    next_at: Callable[[], float | None] = _no_sooner
    """Asked between turns, so cheap; after a run it must lie ahead, or be None."""


@dataclass(frozen=True)
class Assignment:
    """Partitions handed to this process. `clean` when their last holder gave them back in order."""

    partitions: tuple[int, ...]
    clean: bool
    ends: Mapping[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    """By topic name and partition: one past the last record at the hand-over. A record below it may
    have been handled before, in part or in full; one from it on has not."""


async def _nothing_assigned(_assignment: Assignment) -> Handled:
    return NOTHING


async def _nothing_revoked(_partitions: tuple[int, ...]) -> None:
    return None


@dataclass(frozen=True)
class Service:
    """A service as a host runs it: steps in precedence (earlier ones take their input first), ticks,
    and what to do when partitions come and go.

    `assigned` rebuilds what is held in memory from the stores before the first batch; `revoked`
    gives up what is under way. `transactional` asks for emits and offsets to be shown together, so that
    a reader of committed messages sees none twice; the embedded host does that for every service.
    """

    name: str
    steps: tuple[Step[Any], ...]
    ticks: tuple[Tick, ...] = ()
    assigned: Callable[[Assignment], Awaitable[Handled]] = _nothing_assigned
    revoked: Callable[[tuple[int, ...]], Awaitable[None]] = _nothing_revoked
    transactional: bool = False
