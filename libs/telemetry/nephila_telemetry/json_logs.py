"""JSON logs, one event a line: the logger on structlog, which no other module imports."""

import json
import logging
from collections.abc import Callable
from typing import Any, TextIO

import structlog

from nephila_telemetry.logs import Logger


def json_logger(stream: TextIO, wall_ms: Callable[[], int], level: int = logging.INFO) -> Logger:
    """Writes to `stream`, which the caller opens and closes: a file, or stderr.

    `wall_ms` gives milliseconds since 1970 (Clock.wall_ms). `exc_info=True` adds the traceback.
    """

    def stamped(_logger: Any, _method: str, event: Any) -> Any:
        return {"at_unix_ms": wall_ms(), **event}

    processors = [
        structlog.processors.add_log_level,
        stamped,
        structlog.processors.format_exc_info,
        _line,
    ]
    wrapper = structlog.make_filtering_bound_logger(level)
    # bind() gives the logger itself; what wrap_logger gives makes a new one at each call.
    return structlog.wrap_logger(structlog.WriteLogger(stream), processors, wrapper).bind()


def _line(_logger: Any, _method: str, event: Any) -> str:
    # ASCII escapes every control and bidirectional character of a hostile URL; DEL is ASCII itself.
    return json.dumps(event, default=repr).replace(chr(127), "\\u007f")
