"""What the fetcher and its transport say to each other, beyond httpx's own words.

The fetcher calls `transport.handle_async_request` itself: httpx's types are the interface, its client
(redirects, cookies, 0.4 ms a request) is not used. Any `httpx.AsyncBaseTransport` will do.

`request.extensions`, set by the fetcher:

- `url` (str): the canonical URL.
- `target` (bytes): the request target to send, unchanged.
- `destination` (Destination): where to connect; its addresses have been judged.
- `limits` (Limits): of this exchange.

`response.extensions`, set by the transport; each may be missing:

- `request_head`, `response_head` (bytes): the heads as they went over the wire, up to and with the
  empty line. Rebuilt from the httpx objects when missing.
- `ip` (str): the address connected to.
- `truncation` (int): a value of `Truncation`.
- `wire_body` (bytes): the body without its transfer coding, still in its content coding. Read from
  `response.stream` when missing.

A transport raises httpx's exceptions, and the more exact ones below.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from nephila_contracts.v1.page_pb2 import Truncation

NOT_CUT = Truncation.TRUNCATION_UNSPECIFIED


class ConnectionRefused(httpx.ConnectError):
    """The port refused the connection."""


class TlsFailed(httpx.ConnectError):
    """The handshake or the certificate failed."""


class StaleConnection(httpx.RemoteProtocolError):
    """A kept connection was closed before it answered: to be tried once more on a new one."""


@dataclass(frozen=True, slots=True)
class Destination:
    """Where a request goes: `host` is `name[:port]` as in the URL, `addresses` those to try in order."""

    scheme: str
    host: str
    name: str
    port: int
    addresses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one exchange: seconds in all, seconds to connect, bytes of body (beyond them it is cut)."""

    total: float
    connect: float
    body_bytes: int


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer, received whole or cut. `body` is in the server's content coding."""

    status: int
    headers: httpx.Headers
    body: bytes
    request_head: bytes
    response_head: bytes
    ip: str
    truncation: Truncation

    def field(self, name: str) -> str:
        """The first field of that name (lower case) as text, one character an octet; else empty."""
        wanted = name.encode()
        for key, value in self.headers.raw:
            if key.lower() == wanted:
                return value.decode("latin-1")
        return ""


class _NoBody(httpx.AsyncByteStream):
    """A GET has none."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        return
        yield b""


_NO_BODY = _NoBody()


class GetRequest(httpx.Request):
    """A GET with exactly the header fields that it is given.

    httpx's URL is parsed only when a transport asks for it: 11 us that ours does not need.
    """

    def __init__(
        self,
        url: str,
        target: bytes,
        destination: Destination,
        fields: httpx.Headers,
        limits: Limits,
    ) -> None:
        self._text = url
        self.method = "GET"
        self.headers = fields
        self.stream = _NO_BODY
        self.extensions = {
            "url": url,
            "target": target,
            "destination": destination,
            "limits": limits,
        }

    @property
    def url(self) -> httpx.URL:
        try:
            return httpx.URL(self._text)
        except httpx.InvalidURL:
            # httpx is narrower than the URL standard (hosts that IDNA 2008 refuses); what is sent
            # and where is in the extensions.
            return httpx.URL(scheme="http", host="invalid", path="/")


async def exchange(transport: httpx.AsyncBaseTransport, request: httpx.Request) -> Answer:
    """Sends and receives. Raises what the transport raises, no other exception."""
    response = await transport.handle_async_request(request)
    extensions = response.extensions
    cut: Truncation = extensions.get("truncation", NOT_CUT)
    body = extensions.get("wire_body")
    if body is None:
        limits: Limits = request.extensions["limits"]
        body, whole = await _read(response, limits.body_bytes)
        if not whole:
            cut = Truncation.TRUNCATION_LENGTH
    return Answer(
        status=response.status_code,
        headers=response.headers,
        body=body,
        request_head=extensions.get("request_head") or request_head(request),
        response_head=extensions.get("response_head") or _response_head(response),
        ip=_text(extensions, "ip"),
        truncation=cut,
    )


def request_head(request: httpx.Request) -> bytes:
    """The bytes of the request: its line, its fields, an empty line."""
    lines = [b"%b %b HTTP/1.1" % (request.method.encode(), request.extensions["target"])]
    lines.extend(b"%b: %b" % field for field in request.headers.raw)
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _response_head(response: httpx.Response) -> bytes:
    lines = [f"HTTP/1.1 {response.status_code} {response.reason_phrase}".encode("latin-1")]
    lines.extend(b"%b: %b" % field for field in response.headers.raw)
    return b"\r\n".join(lines) + b"\r\n\r\n"


def _text(extensions: Mapping[str, Any], key: str) -> str:
    return str(extensions.get(key, ""))


async def _read(response: httpx.Response, limit: int) -> tuple[bytes, bool]:
    """At most `limit` bytes of the body as received, and whether that is all of it."""
    stream = response.stream
    if not isinstance(stream, httpx.AsyncByteStream):
        raise TypeError("an asynchronous transport answers with an asynchronous stream")
    received = bytearray()
    try:
        async for piece in stream:
            received += piece
            if len(received) > limit:
                return bytes(received[:limit]), False
    finally:
        await stream.aclose()
    return bytes(received), True
