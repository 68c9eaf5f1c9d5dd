"""The server's append-only log: JSON lines, one `write` each."""

import json
import os
import time
from pathlib import Path
from typing import Self


class EventLog:
    """Writes events so that nothing told is lost when another process dies.

    Instants are seconds of this machine's monotonic clock, shared by all its processes.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)

    def write(self, event: str, connection: int, **fields: object) -> None:
        """One event of a connection: "open", "request", "end" or "close"."""
        record = {"ev": event, "connection": connection, **fields}
        os.write(self._file, json.dumps(record, separators=(",", ":")).encode() + b"\n")


def now() -> float:
    """The log's clock."""
    return time.monotonic_ns() / 1e9
