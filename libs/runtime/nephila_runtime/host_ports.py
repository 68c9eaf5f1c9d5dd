"""What a step's runner asks of the host that it runs in: where records come from, where emits go, and how
a batch that was not handled is undone."""

from collections.abc import Iterable, Sequence
from typing import Any, Protocol

from nephila_contracts import Topic

from nephila_runtime.service import Emit, Record


class Intake(Protocol):
    """One step's place in the topic that it consumes."""

    def has_more(self) -> bool:
        """Whether there is a record to take."""
        ...

    def take(self, limit: int) -> list[Record[Any]]:
        """The next records, those of a partition in order; none is taken twice."""
        ...

    def finish(self, records: Iterable[Record[Any]]) -> None:
        """They need never be handed in again, once this is committed."""
        ...


class Outbox(Protocol):
    """What the running turn is going to publish."""

    def append(self, emits: Sequence[Emit[Any]]) -> None: ...

    def append_dead(self, topic: Topic[Any], record: Record[Any], service: str, cause: str) -> None:
        """A dead letter: the record, who gave it up, and why in one line."""
        ...


class Undo(Protocol):
    """What undoes the writes of a batch that ends in Poison or Busy, where the host can do that."""

    def begin(self) -> None: ...

    def undo(self) -> None:
        """Back to `begin`."""
        ...

    def end(self) -> None:
        """Closes what `begin` opened; what was not undone stays."""
        ...


class NothingToUndo:
    """For hosts whose stores lie elsewhere: their writes carry versions, and may be made twice."""

    def begin(self) -> None:
        return

    def undo(self) -> None:
        return

    def end(self) -> None:
        return
