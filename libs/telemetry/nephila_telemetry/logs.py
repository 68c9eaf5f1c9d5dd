"""What a service calls to log.

A logger is made once, where the process is wired, and handed down: `log.bind(service="fetcher")`. A
line about a URL carries it as `url` and `attempt_id`, so that one grep tells a fetch through all
services: `log.warning("fetch failed", url=url, attempt_id=attempt_id, reason=reason)`.
"""

from typing import Any, Protocol


class Logger(Protocol):
    """What a service calls: an event in a few fixed words, and its facts as keywords.

    A call below the level costs the call; `bind` copies a dict, so it is for services, not for URLs.
    """

    def bind(self, **facts: Any) -> "Logger": ...

    def debug(self, event: str, **facts: Any) -> None: ...

    def info(self, event: str, **facts: Any) -> None: ...

    def warning(self, event: str, **facts: Any) -> None: ...

    def error(self, event: str, **facts: Any) -> None: ...


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
