"""What the consumer's thread tells the host, which answers each rebalance when it is through with it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nephila_runtime.kafka_intake import Flow
from nephila_runtime.progress import Progress

Place = tuple[str, int]
"""A topic's name in the cluster, and a partition."""


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
