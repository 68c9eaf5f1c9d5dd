"""Connections to Redis whose answers never reach the wrong caller."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from nephila_runtime import Clock
from redis.asyncio.connection import Connection, SSLConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    ConnectionError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    ResponseError,
    TimeoutError,
)

# ConnectionError holds -LOADING too: a server that still reads its file.
_AWAY = (ConnectionError, TimeoutError, OSError, OutOfMemoryError, ReadOnlyError)


class RedisAway(Exception):
    """No server that takes commands: gone, loading, out of memory, or a replica."""


@dataclass(frozen=True, slots=True)
class RedisEndpoint:
    """A server, and the user to be there. Needs BF.*, GET, SET and DEL on its own keys, nothing else."""

    host: str
    port: int
    username: str | None = None
    password: str | None = None
    tls: bool = False


class Line:
    """One connection, for one caller at a time."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def ask(self, commands: Sequence[bytes]) -> list[Any]:
        """The answer to each packed command, in order; its error in its place. Raises NoPermissionError."""
        await self._connection.send_packed_command([b"".join(commands)])
        answers: list[Any] = []
        for _ in commands:
            try:
                answers.append(await self._connection.read_response())
            except (OutOfMemoryError, ReadOnlyError, NoPermissionError):
                raise
            except ResponseError as error:
                answers.append(error)
        return answers


class RedisConnections:
    """A connection for each group of calls; one that did not end its group well is closed, not lent again.

    Nothing is ever sent twice: what a lost answer leaves in doubt is for the caller to know. After a failed
    attempt to connect, `pause` passes before the next, so that a server that hangs does not stop the crawl.
    """

    def __init__(
        self,
        endpoint: RedisEndpoint,
        clock: Clock,
        patience: timedelta = timedelta(seconds=2),
        pause: timedelta = timedelta(seconds=1),
    ) -> None:
        self._endpoint = endpoint
        self._clock = clock
        self._patience_s = patience.total_seconds()
        self._pause_s = pause.total_seconds()
        self._away_until = float("-inf")
        self._idle: list[Connection] = []

    @asynccontextmanager
    async def line(self) -> AsyncGenerator[Line]:
        """Raises RedisAway, also out of the block."""
        if self._clock.now() < self._away_until:
            raise RedisAway("failed a moment ago")
        lent = bool(self._idle)
        connection = self._idle.pop() if lent else self._made()
        well = False
        try:
            async with asyncio.timeout(self._patience_s):
                if not lent:
                    await connection.connect()
                yield Line(connection)
            well = True
        except AuthenticationError:
            raise
        except _AWAY as error:
            # A connection from before a restart says nothing about the server of now.
            if not lent or isinstance(error, asyncio.TimeoutError):
                self._away_until = self._clock.now() + self._pause_s
            await self.close()
            raise RedisAway(str(error) or type(error).__name__) from error
        finally:
            if well:
                self._idle.append(connection)
            else:
                await connection.disconnect(nowait=True)

    async def close(self) -> None:
        """Closes those that are not lent. More may be opened later."""
        idle, self._idle = self._idle, []
        for connection in idle:
            await connection.disconnect(nowait=True)

    def _made(self) -> Connection:
        endpoint = self._endpoint
        kind = SSLConnection if endpoint.tls else Connection
        return kind(
            host=endpoint.host,
            port=endpoint.port,
            username=endpoint.username,
            password=endpoint.password,
            protocol=2,
            retry=Retry(NoBackoff(), 0),
            # Would be CLIENT SETINFO, which the user may not call.
            driver_info=None,
        )
