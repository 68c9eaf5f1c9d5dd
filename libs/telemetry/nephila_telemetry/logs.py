"""JSON logs, one event a line. The only module that knows structlog.

A logger is made once, where the process is wired, and handed down: `log.bind(service="fetcher")`. A
line about a URL carries it as `url` and `attempt_id`, so that one grep tells a fetch through all
services: `log.warning("fetch failed", url=url, attempt_id=attempt_id, reason=reason)`.
"""

import json
import logging
from collections.abc import Callable
from typing import Any, Protocol, TextIO

import structlog


class Logger(Protocol):
    """What a service calls: an event in a few fixed words, and its facts as keywords.

    A call below the level costs the call; `bind` copies a dict, so it is for services, not for URLs.
    """

    def bind(self, **facts: Any) -> "Logger": ...

    def debug(self, event: str, **facts: Any) -> None: ...

    def info(self, event: str, **facts: Any) -> None: ...

    def warning(self, event: str, **facts: Any) -> None: ...

    def error(self, event: str, **facts: Any) -> None: ...


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


class _NoLogs:
    """A logger that forgets: the cost of a call is the call."""

    def bind(self, **facts: Any) -> Logger:
        return self

    def debug(self, event: str, **facts: Any) -> None:
        return None

    def info(self, event: str, **facts: Any) -> None:
        return None

    def warning(self, event: str, **facts: Any) -> None:
        return None

    def error(self, event: str, **facts: Any) -> None:
        return None


NO_LOGS: Logger = _NoLogs()
