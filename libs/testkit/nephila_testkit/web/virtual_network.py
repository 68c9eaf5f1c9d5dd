"""The synthetic web inside one event loop: no socket, no thread, and the loop's clock is the only one.

On a loop whose time is virtual, a crawl of hours takes seconds and is the same each time.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from hashlib import sha256
from itertools import count
from typing import Generic, TypeVar

import httpx

from nephila_testkit.web.answers import Ending, SyntheticAnswer, answer
from nephila_testkit.web.graph import SyntheticWeb
from nephila_testkit.web.served import ServedRequest
from nephila_testkit.web.shape import Role

_CHUNK = 16_384
R = TypeVar("R")


class SyntheticTransport(httpx.AsyncBaseTransport):
    """Answers from the graph, and records every request by `loop.time()`.

    `latency_s` passes before each answer's first byte, beside what the graph asks for; `wall` tells
    the time of day for Date and Retry-After. A request that is cancelled ends when it is cancelled,
    like a connection that is closed.
    """

    def __init__(
        self,
        web: SyntheticWeb,
        latency_s: float = 0.05,
        wall: Callable[[], float] = lambda: 1_750_000_000.0,
    ) -> None:
        self.requests: list[ServedRequest] = []
        self._web = web
        self._latency_s = latency_s
        self._wall = wall
        self._asked: Counter[str] = Counter()
        self._connections = count(1)

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        loop = asyncio.get_running_loop()
        headers = {name.lower(): value for name, value in request.headers.items()}
        host = headers["host"].lower()
        target = request.url.raw_path.decode("ascii")
        seen = ServedRequest(next(self._connections), host, target, loop.time())
        seen.user_agent = headers.get("user-agent", "")
        self.requests.append(seen)
        turn = self._asked[host + target]
        self._asked[host + target] += 1
        given = answer(self._web, host, target, headers, self._wall(), turn)
        try:
            await asyncio.sleep(self._latency_s + given.delay_s)
        except asyncio.CancelledError:
            seen.ended_s = loop.time()
            raise
        if given.ending is Ending.RESET:
            seen.ended_s = loop.time()
            raise httpx.ReadError("connection reset", request=request)
        return self._response(request, given, seen)

    def _response(
        self, request: httpx.Request, given: SyntheticAnswer, seen: ServedRequest
    ) -> httpx.Response:
        fields = [(name.encode(), value.encode("latin-1")) for name, value in given.headers]
        if given.status != 304:
            fields.append((b"Content-Length", str(len(given.body)).encode()))
        head = b"HTTP/1.1 %d Synthetic\r\n" % given.status
        head += b"".join(b"%b: %b\r\n" % field for field in fields) + b"\r\n"
        site = self._web.by_name.get(seen.host)
        seen.address = site.address if site else ""
        return httpx.Response(
            given.status,
            headers=fields,
            stream=_Body(given, seen, request),
            request=request,
            extensions={"http_version": b"HTTP/1.1", "response_head": head, "ip": seen.address},
        )


class _Body(httpx.AsyncByteStream):
    """The body as it comes; the request has ended when it is read or closed."""

    def __init__(self, given: SyntheticAnswer, seen: ServedRequest, request: httpx.Request) -> None:
        self._given = given
        self._seen = seen
        self._request = request
        seen.status = given.status
        seen.role = given.role
        seen.asked_wait_s = given.asked_wait_s
        seen.location = given.location
        seen.sha256 = sha256(given.payload).hexdigest() if given.payload else ""
        if given.role is Role.ROBOTS and given.status == 200:
            seen.robots = given.payload.decode()

    async def __aiter__(self) -> AsyncIterator[bytes]:
        body = self._given.body
        cut = self._given.ending is Ending.CUT
        upto = len(body) // 2 if cut else len(body)
        for at in range(0, upto, _CHUNK):
            part = body[at : min(at + _CHUNK, upto)]
            self._seen.body_bytes += len(part)
            yield part
        self._end(whole=not cut)
        if cut:
            raise httpx.RemoteProtocolError("body broke off", request=self._request)

    async def aclose(self) -> None:
        self._end(whole=False)

    def _end(self, *, whole: bool) -> None:
        if self._seen.ended_s is None:
            self._seen.ended_s = asyncio.get_running_loop().time()
            self._seen.whole = whole


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
