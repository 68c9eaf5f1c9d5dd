"""What lies outside the database and must be durable before the transaction that speaks of it."""

from typing import Protocol


class Participant(Protocol):
    """A file (or an upload) that takes part in the embedded host's transaction.

    Nothing is undone by it: after a failed transaction the host's run ends, and opening it anew cuts it
    back to what was committed.
    """

    async def prepare(self) -> None:
        """Makes what was appended durable, and writes down its length in the open transaction."""
        ...
