"""DIR/nephila.log: what somebody may have to look into afterwards, one line of JSON each."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal


class FaultLog:
    """A `Logger` of warnings and errors; what is below that is dropped.

    The file is opened for each line, so that a crawl without faults leaves none. A disk that takes no
    line is told elsewhere.
    """

    def __init__(self, path: Path, wall_ms: Callable[[], int], **facts: Any) -> None:
        self._path = path
        self._wall_ms = wall_ms
        self._facts = facts

    def bind(self, **facts: Any) -> "FaultLog":
        return FaultLog(self._path, self._wall_ms, **{**self._facts, **facts})

    def debug(self, event: str, **facts: Any) -> None:
        return None

    def info(self, event: str, **facts: Any) -> None:
        return None

    def warning(self, event: str, **facts: Any) -> None:
        self._write("warning", event, facts)

    def error(self, event: str, **facts: Any) -> None:
        self._write("error", event, facts)

    def _write(self, level: Literal["warning", "error"], event: str, facts: dict[str, Any]) -> None:
        # Imported here: structlog takes 0.2 s, and nearly no crawl needs it.
        from nephila_telemetry.json_logs import json_logger

        with suppress(OSError), self._path.open("a", encoding="ascii") as stream:
            log = json_logger(stream, self._wall_ms)
            write = log.warning if level == "warning" else log.error
            write(event, **self._facts, **facts)
