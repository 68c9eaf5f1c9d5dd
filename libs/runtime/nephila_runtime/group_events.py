"""What the consumer's thread tells the host, which answers each rebalance when it is through with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nephila_runtime.progress import Progress

Place = tuple[str, int]
"""A topic's name in the cluster, and a partition."""

RawRecord = tuple[str, int, int, bytes | None, bytes | None]
"""(topic in the cluster, partition, offset, key, value)"""


class Flow:
    """How much of a topic waits in memory. Filled by the consumer's thread, emptied by the event loop:
    each side writes its own counters only, so neither needs a lock."""

    __slots__ = ("bytes_in", "bytes_out", "paused", "records_in", "records_out")

    def __init__(self) -> None:
        self.records_in = 0
        self.bytes_in = 0
        self.records_out = 0
        self.bytes_out = 0
        self.paused = False

    def records(self) -> int:
        return self.records_in - self.records_out

    def bytes(self) -> int:
        return self.bytes_in - self.bytes_out


class Question:
    """A rebalance that waits in the consumer's thread until the host has answered."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self.answered = False

    def answer(self) -> None:
        self.answered = True
        self._wake()


@dataclass(frozen=True)
class Held:
    """What a generation holds."""

    partitions: tuple[int, ...]
    clean: bool
    progress: Mapping[Place, Progress]
    ends: Mapping[Place, int]
    group: object
    """The generation, to a transaction; opaque."""
    flows: Mapping[str, Flow]


@dataclass(frozen=True)
class Given:
    """Partitions are held from now on; nothing is handed in until this is answered."""

    held: Held
    question: Question


@dataclass(frozen=True)
class TakenAway:
    """All partitions go: to be answered once what was finished is committed and nothing is under way."""

    question: Question


@dataclass(frozen=True)
class Left:
    """The thread has ended; `error` is None after an orderly close."""

    error: BaseException | None = field(default=None)


Event = Given | TakenAway | Left
