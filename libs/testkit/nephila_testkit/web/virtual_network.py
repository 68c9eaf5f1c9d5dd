"""The synthetic web inside one event loop: no socket, no thread, and the loop's clock is the only one.

On a loop whose time is virtual, a crawl of hours takes seconds and is the same each time.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from hashlib import sha256
from typing import Generic, TypeVar

import httpx
from nephila_contracts.v1.page_pb2 import Truncation

from nephila_testkit.web.answers import Ending, SyntheticAnswer, answer
from nephila_testkit.web.graph import SyntheticWeb
from nephila_testkit.web.served import ServedRequest, ServerLog
from nephila_testkit.web.shape import Role

_BROKE_OFF = Truncation.TRUNCATION_DISCONNECT
R = TypeVar("R")


class SyntheticTransport(httpx.AsyncBaseTransport):
    """Answers from the graph, and records every request by `loop.time()`.

    `latency_s` passes before each answer, beside what the graph asks for; `wall` tells the time of
    day for a Retry-After that is a date. A request that is cancelled ends when it is cancelled,
    like a connection that is closed. The request's extension `target`, where it is set, goes before
    its URL; answers carry the extensions `response_head`, `ip`, `wire_body` and `truncation`.
    """

    def __init__(
        self,
        web: SyntheticWeb,
        latency_s: float = 0.05,
        wall: Callable[[], float] = lambda: 1_750_000_000.0,
    ) -> None:
        # In the order of arrival.
        self.requests: list[ServedRequest] = []
        self._web = web
        self._latency_s = latency_s
        self._wall = wall
        self._asked: Counter[str] = Counter()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        loop = asyncio.get_running_loop()
        headers = {name.lower(): value for name, value in request.headers.items()}
        seen = ServedRequest(
            connection=len(self.requests) + 1,
            host=headers["host"].lower(),
            target=request.extensions.get("target", request.url.raw_path).decode("ascii"),
            arrived_s=loop.time(),
            user_agent=headers.get("user-agent", ""),
        )
        self.requests.append(seen)
        given = answer(
            self._web, seen.host, seen.target, headers, self._wall(), self._asked[seen.url]
        )
        self._asked[seen.url] += 1
        seen.role = given.role
        try:
            await asyncio.sleep(self._latency_s + given.delay_s)
        finally:
            seen.ended_s = loop.time()
        if given.ending is Ending.RESET:
            raise httpx.ReadError("connection reset", request=request)
        self._write_down(given, seen)
        return _response(given, seen.address)

    def log(self) -> ServerLog:
        """For the checker: here every request has a connection of its own."""
        return ServerLog(self.requests, opened=len(self.requests))

    def _write_down(self, given: SyntheticAnswer, seen: ServedRequest) -> None:
        site = self._web.by_name.get(seen.host)
        seen.address = site.address if site else ""
        seen.status = given.status
        seen.whole = given.ending is Ending.WHOLE
        seen.sha256 = sha256(given.payload).hexdigest() if given.payload else ""
        seen.asked_wait_s = given.asked_wait_s
        seen.location = given.location
        seen.body_bytes = len(given.body)
        if given.role is Role.ROBOTS and given.status == 200:
            seen.robots = given.payload.decode()


def _response(given: SyntheticAnswer, address: str) -> httpx.Response:
    fields = [(name.encode(), value.encode("latin-1")) for name, value in given.headers]
    if given.status != 304:
        fields.append((b"Content-Length", str(len(given.body)).encode()))
    head = b"HTTP/1.1 %d Synthetic\r\n" % given.status
    head += b"".join(b"%b: %b\r\n" % field for field in fields) + b"\r\n"
    cut = given.ending is Ending.CUT
    body = given.body[: len(given.body) // 2] if cut else given.body
    return httpx.Response(
        given.status,
        headers=fields,
        stream=httpx.ByteStream(body),
        extensions={
            "response_head": head,
            "ip": address,
            "wire_body": body,
            "truncation": _BROKE_OFF if cut else Truncation.TRUNCATION_UNSPECIFIED,
        },
    )


class SyntheticResolver(Generic[R]):
    """Names to addresses, as a port that answers `R`.

    `resolved` makes the answer from addresses and a time to live in seconds; `no_such_host` makes
    the error for a name that is not of the web.
    """

    def __init__(
        self,
        web: SyntheticWeb,
        resolved: Callable[[tuple[str, ...], float], R],
        no_such_host: Callable[[str], Exception],
    ) -> None:
        self._addresses = web.addresses()
        self._resolved = resolved
        self._no_such_host = no_such_host
        # Every name asked for, in order.
        self.asked: list[str] = []

    async def resolve(self, host: str) -> R:
        self.asked.append(host)
        await asyncio.sleep(0.01)
        address = self._addresses.get(host)
        if address is None:
            raise self._no_such_host(host)
        return self._resolved((address,), 300.0)
