"""Seen sets on a Redis that tests share: each has a partition of its own, and ends without a trace."""

import itertools
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import timedelta

from nephila_runtime.clock import SystemClock
from nephila_storage.redis_connections import RedisConnections, RedisEndpoint
from nephila_storage.redis_seen_set import RedisSeenSet
from nephila_urls import canonicalise, url_digest
from redis import Redis

_PARTITIONS = itertools.count(os.getpid() * 100_000)


def digests(start: int, end: int) -> list[bytes]:
    return [url_digest(canonicalise(f"http://a.test/{number}")) for number in range(start, end)]


def fresh_partition() -> int:
    """One that no other test of this machine uses."""
    return next(_PARTITIONS)


def endpoint(
    address: str, username: str | None = None, password: str | None = None
) -> RedisEndpoint:
    host, _, port = address.rpartition(":")
    return RedisEndpoint(host, int(port), username, password)


def commanded(address: str) -> Redis:
    """For what the product never does. Close it."""
    to = endpoint(address)
    return Redis(to.host, to.port)


@asynccontextmanager
async def connected(
    address: str, patience: timedelta = timedelta(seconds=10), pause: timedelta = timedelta(0)
) -> AsyncGenerator[RedisConnections]:
    """Asks again at once after a failure, and waits long for a busy machine."""
    connections = RedisConnections(endpoint(address), SystemClock(), patience, pause)
    try:
        yield connections
    finally:
        await connections.close()


async def build(seen: RedisSeenSet, content: list[bytes]) -> None:
    await seen.start_over(len(content))
    await seen.refill(content)
    await seen.switch_over()


def forget(address: str, partition: int) -> None:
    with commanded(address) as redis:
        keys = redis.keys(f"seen:{partition}*")
        assert isinstance(keys, list)
        if keys:
            redis.delete(*keys)
