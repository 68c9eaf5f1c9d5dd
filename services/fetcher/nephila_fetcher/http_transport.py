"""Our httpx transport: HTTP/1.1 on asyncio protocols and httptools, one kept connection a host.

httpx's own pool scans every connection at every request: 14.7 ms at a crawler's width. This one is a
dictionary. It connects only to the addresses that it is given, which the address guard has judged,
and compares them with the socket's peer.
"""

import asyncio
import ssl
from collections import OrderedDict
from collections.abc import AsyncIterator
from datetime import timedelta
from ipaddress import ip_address
from pathlib import Path

import certifi
import httpx

from nephila_fetcher.exchange import (
    ConnectionRefused,
    Destination,
    Limits,
    TlsFailed,
    request_head,
)
from nephila_fetcher.http_connection import Connection
from nephila_fetcher.large_bodies import LargeBodies
from nephila_fetcher.response_head import Received

# Of a host with many addresses, the first few share the time to connect.
_ADDRESSES_TRIED = 3


def tls_context(extra_authorities: Path | None = None) -> ssl.SSLContext:
    """Verifies names and chains against the machine's authorities (Mozilla's where it has none).

    Made once: it costs 25 ms.
    """
    paths = ssl.get_default_verify_paths()
    known = paths.cafile or paths.capath
    context = ssl.create_default_context(cafile=None if known else certifi.where())
    if extra_authorities is not None:
        context.load_verify_locations(cafile=extra_authorities)
    context.set_alpn_protocols(["http/1.1"])
    return context


class HttpTransport(httpx.AsyncBaseTransport):
    """Sends `exchange.GetRequest`s; answers come back whole, or marked as cut."""

    def __init__(
        self,
        tls: ssl.SSLContext,
        idle_connections: int = 1000,
        idle_timeout: timedelta = timedelta(seconds=60),
    ) -> None:
        self._tls = tls
        self._idle_connections = idle_connections
        self._idle_seconds = idle_timeout.total_seconds()
        self._large_bodies = LargeBodies()
        # Longest idle first. Filled after an answer; emptied by the next request, age and number.
        self._idle: OrderedDict[tuple[str, str], Connection] = OrderedDict()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Raises ConnectionRefused, TlsFailed, StaleConnection, and httpx's transport errors."""
        destination: Destination = request.extensions["destination"]
        limits: Limits = request.extensions["limits"]
        head = _checked_head(request)
        loop = asyncio.get_running_loop()
        ends_at = loop.time() + limits.total
        connection = self._take_idle(destination, loop.time())
        if connection is None:
            connection = await self._connect(destination, min(limits.connect, limits.total))
        try:
            received = await connection.ask(head, limits, ends_at - loop.time())
        except BaseException:
            # Cancelled, or failed: an answer that still comes would be the next request's.
            connection.abort()
            raise
        if connection.reusable:
            self._keep(destination, connection, loop.time())
        return _response(received, head, connection.address)

    async def aclose(self) -> None:
        for connection in self._idle.values():
            connection.abort()
        self._idle.clear()
        # One turn of the loop, in which transports call connection_lost and let go of sockets.
        await asyncio.sleep(0)

    def _take_idle(self, destination: Destination, now: float) -> Connection | None:
        connection = self._idle.pop((destination.scheme, destination.host), None)
        if connection is None:
            return None
        fresh = now - connection.idle_since < self._idle_seconds
        if connection.reusable and fresh and connection.address in destination.addresses:
            return connection
        connection.close()
        return None

    def _keep(self, destination: Destination, connection: Connection, now: float) -> None:
        idle = self._idle
        connection.idle_since = now
        key = (destination.scheme, destination.host)
        replaced = idle.pop(key, None)
        if replaced is not None:
            replaced.close()
        idle[key] = connection
        while idle:
            oldest = next(iter(idle.values()))
            if len(idle) <= self._idle_connections and now - oldest.idle_since < self._idle_seconds:
                return
            idle.popitem(last=False)[1].close()

    async def _connect(self, destination: Destination, seconds: float) -> Connection:
        """Tries the addresses in turn, all within `seconds`; raises what the last one failed with."""
        failure: httpx.TransportError = httpx.ConnectError("no address to connect to")
        tried = destination.addresses[:_ADDRESSES_TRIED]
        for address in tried:
            try:
                async with asyncio.timeout(seconds / len(tried)):
                    return await self._connect_to(address, destination)
            except httpx.ConnectError as error:
                failure = error
            except TimeoutError:
                failure = httpx.ConnectTimeout("no connection in time")
        raise failure

    async def _connect_to(self, address: str, destination: Destination) -> Connection:
        loop = asyncio.get_running_loop()
        secure = destination.scheme == "https"
        try:
            transport, connection = await loop.create_connection(
                lambda: Connection(self._large_bodies),
                address,
                destination.port,
                ssl=self._tls if secure else None,
                # RFC 6066 3: the name without its closing dot.
                server_hostname=destination.name.rstrip(".") if secure else None,
            )
        except ssl.SSLError as error:
            raise TlsFailed(error.reason or "TLS failed") from error
        except ConnectionRefusedError as error:
            raise ConnectionRefused("connection refused") from error
        except (OSError, ValueError) as error:
            # ValueError: a name that Python's own IDNA codec refuses.
            raise httpx.ConnectError("no connection") from error
        peer = transport.get_extra_info("peername")
        if peer is None or ip_address(peer[0]) != ip_address(address):
            connection.abort()
            raise httpx.ConnectError("the peer is not the address asked for")
        connection.address = address
        return connection


def _checked_head(request: httpx.Request) -> bytes:
    """The request's bytes, which hold as many lines as fields and no blank in the target."""
    head = request_head(request)
    target: bytes = request.extensions["target"]
    # One line, the fields, the empty line: more means that a value brought its own.
    lines = len(request.headers.raw) + 2
    if head.count(b"\n") != lines or head.count(b"\r") != lines or b" " in target:
        raise httpx.LocalProtocolError("a line end or blank in the request")
    return head


class _WireBody(httpx.AsyncByteStream):
    """The body for those who read httpx's stream; the fetcher takes `wire_body`."""

    def __init__(self, body: bytes) -> None:
        self._body = body

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield self._body


def _response(received: Received, head: bytes, address: str) -> httpx.Response:
    return httpx.Response(
        received.status,
        headers=received.fields,
        stream=_WireBody(received.body),
        extensions={
            "request_head": head,
            "response_head": received.head,
            "ip": address,
            "truncation": received.truncation,
            "wire_body": received.body,
        },
    )
