"""A topic: a name, the one message type that it carries, and how it is kept."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from google.protobuf.message import Message

M = TypeVar("M", bound=Message)


@dataclass(frozen=True)
class Topic(Generic[M]):
    """An ordered, partitioned stream of one message type.

    The partition is murmur2 of the key, as Kafka's own partitioner has it. `compacted` topics keep
    the last message of each key instead of a span of time.
    """

    name: str
    message: type[M]
    compacted: bool = False

    @property
    def dead_letter_name(self) -> str:
        return f"{self.name}_dead_letter"
