"""What a server saw of one request: the one form in which all evidence reaches the checker."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(slots=True)
class ServedRequest:
    """One request, by the server's monotonic clock in seconds."""

    connection: int
    # The Host field, lower-case, with its port when it is not 80.
    host: str
    # Path and query of the request line.
    target: str
    # When the request line had come.
    arrived_s: float
    # When the answer's last byte was given to the network, or the connection was gone.
    ended_s: float | None = None
    # 0 when nothing was answered.
    status: int = 0
    # The whole answer went out.
    whole: bool = False
    # SHA-256 of the body without content coding, in hexadecimal; empty without a body.
    sha256: str = ""
    # "robots", "sitemap", or any other role for a page.
    role: str = "page"
    # Seconds that Retry-After asked for.
    asked_wait_s: float = 0.0
    location: str = ""
    # The text of robots.txt, where it was served with 200.
    robots: str = ""
    # Bytes of body that went out, content coding included.
    body_bytes: int = 0
    address: str = ""
    user_agent: str = ""

    @property
    def url(self) -> str:
        """As the crawler must have written it."""
        return f"http://{self.host}{self.target}"


@dataclass(slots=True)
class ServerLog:
    """All that a server wrote down."""

    requests: list[ServedRequest]
    # Connections opened, and those still open where the log ends.
    opened: int = 0
    left_open: int = 0
    # The most connections open at one time.
    most_open: int = 0


def read_log(path: Path) -> ServerLog:
    """The log of `nephila_testkit.web.server`; a last line cut short by a kill is left out."""
    with path.open(encoding="utf-8") as lines:
        return gather(_events(lines))


def gather(events: Iterable[dict[str, object]]) -> ServerLog:
    """Puts the events of each request together, in the order of arrival."""
    log = ServerLog([])
    under_way: dict[int, ServedRequest] = {}
    for event in events:
        kind, connection = event.pop("ev"), int(str(event["connection"]))
        if kind == "open":
            log.opened += 1
            log.left_open += 1
            log.most_open = max(log.most_open, log.left_open)
        elif kind == "close":
            log.left_open -= 1
            cut = under_way.pop(connection, None)
            if cut is not None:
                cut.ended_s = float(str(event["at"]))
        elif kind == "request":
            under_way[connection] = ServedRequest(**event)  # pyright: ignore[reportArgumentType]
            log.requests.append(under_way[connection])
        else:
            request = under_way.pop(connection)
            for name, value in event.items():
                setattr(request, name, value)
    return log


def _events(lines: Iterable[str]) -> Iterator[dict[str, object]]:
    for line in lines:
        if line.endswith("\n"):
            yield json.loads(line)
