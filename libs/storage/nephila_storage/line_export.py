"""A topic written to a file, one line a message, in the host's transaction."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from google.protobuf.message import Message
from nephila_runtime import NOTHING, Handled, Record

from nephila_storage.append_file import AppendFile

M = TypeVar("M", bound=Message)


class LineExport(Generic[M]):
    """Handles batches of a topic. `line` makes a message's line, with its newline."""

    def __init__(self, file: AppendFile, line: Callable[[M], bytes]) -> None:
        self._file = file
        self._line = line

    async def handle(self, batch: Sequence[Record[M]]) -> Handled:
        for record in batch:
            self._file.append(self._line(record.message))
        return NOTHING
