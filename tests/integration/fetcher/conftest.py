"""Raw servers on loopback: bytes in, bytes out."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from nephila_fetcher import HttpTransport
from nephila_fetcher.exchange import Answer, Destination, GetRequest, Limits, exchange

Behaviour = Callable[["Visit"], Awaitable[None]]


@dataclass
class Visit:
    """One connection, seen from the server. `number` counts connections from 1."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    number: int

    async def request(self) -> bytes:
        """The next request's head. Raises IncompleteReadError when the client has gone."""
        return await self.reader.readuntil(b"\r\n\r\n")

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def gone(self) -> None:
        """Returns once the client has closed."""
        while await self.reader.read(65_536):
            pass


@dataclass
class RawServer:
    port: int
    connections: int = 0
    requests: list[bytes] = field(default_factory=list[bytes])
    sent_bytes: int = 0


@asynccontextmanager
async def raw_server(
    behaviour: Behaviour, tls: ssl.SSLContext | None = None, address: str = "127.0.0.1"
) -> AsyncGenerator[RawServer, None]:
    """A server whose connections each run `behaviour`; a client that goes away ends it."""
    state = RawServer(0)
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        state.connections += 1
        try:
            await behaviour(Visit(reader, writer, state.connections))
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.transport.abort()

    server = await asyncio.start_server(serve, address, 0, ssl=tls)
    state.port = server.sockets[0].getsockname()[1]
    try:
        yield state
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()


def destination(port: int, name: str = "a.test", scheme: str = "http") -> Destination:
    return Destination(scheme, f"{name}:{port}", name, port, ("127.0.0.1",))


def limits(total: float = 5, connect: float = 2, body_bytes: int = 1_000_000) -> Limits:
    return Limits(total, connect, body_bytes)


async def get(
    transport: HttpTransport, to: Destination, target: bytes = b"/", within: Limits | None = None
) -> Answer:
    fields = httpx.Headers([(b"Host", to.host.encode()), (b"User-Agent", b"Nephila/0.1")])
    url = f"{to.scheme}://{to.host}{target.decode('latin-1')}"
    return await exchange(transport, GetRequest(url, target, to, fields, within or limits()))


@dataclass(frozen=True)
class Tools:
    """What the tests share."""

    raw_server: Any
    destination: Any
    limits: Any
    get: Any


@pytest.fixture
def tools() -> Tools:
    return Tools(raw_server, destination, limits, get)
