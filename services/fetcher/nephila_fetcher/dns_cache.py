"""A resolver that remembers: answers, absences and failures, for a bounded time and number."""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass
from datetime import timedelta

from nephila_runtime import Clock

from nephila_fetcher.dns_resolver import (
    DnsFailed,
    NoSuchHost,
    Resolved,
    Resolver,
    literal_address,
)


@dataclass(frozen=True, slots=True)
class DnsCacheLimits:
    """How long and how much is kept."""

    shortest: timedelta = timedelta(seconds=60)
    longest: timedelta = timedelta(hours=1)
    # RFC 2308 7.1 allows five minutes for a failed server; absences get the same.
    absent: timedelta = timedelta(minutes=5)
    failed: timedelta = timedelta(seconds=30)
    # 34 bytes of names and addresses, 300 with Python's objects: 30 MB.
    hosts: int = 100_000


@dataclass(slots=True)
class _Known:
    answer: Resolved | NoSuchHost | DnsFailed
    until: float


class DnsCache:
    """Wraps a `Resolver`, and is one: address literals need no query, one name has one query under way."""

    def __init__(
        self, resolver: Resolver, clock: Clock, limits: DnsCacheLimits | None = None
    ) -> None:
        self._resolver = resolver
        self._clock = clock
        self._limits = limits or DnsCacheLimits()
        # Least recently used first. Filled by `resolve`; emptied from the front by the limit.
        self._known: OrderedDict[str, _Known] = OrderedDict()
        self._under_way: dict[str, asyncio.Future[None]] = {}

    def __len__(self) -> int:
        return len(self._known)

    async def resolve(self, host: str) -> Resolved:
        literal = literal_address(host)
        if literal is not None:
            return Resolved((literal,), self._limits.longest.total_seconds())
        while (known := self._fresh(host)) is None:
            under_way = self._under_way.get(host)
            if under_way is None:
                await self._ask(host)
            else:
                await asyncio.shield(under_way)
        if isinstance(known.answer, Resolved):
            return known.answer
        # A new exception: one that is raised twice drags the first traceback along.
        failure = type(known.answer)(*known.answer.args)
        if isinstance(failure, DnsFailed):
            failure.remembered = max(known.until - self._clock.now(), 0.0)
        raise failure

    def _fresh(self, host: str) -> _Known | None:
        known = self._known.get(host)
        if known is None:
            return None
        if known.until <= self._clock.now():
            del self._known[host]
            return None
        self._known.move_to_end(host)
        return known

    async def _ask(self, host: str) -> None:
        done = self._under_way[host] = asyncio.get_running_loop().create_future()
        try:
            answer, ttl = await self._query(host)
            self._known[host] = _Known(answer, self._clock.now() + ttl.total_seconds())
            while len(self._known) > self._limits.hosts:
                self._known.popitem(last=False)
        finally:
            # Also when this one is cancelled: a waiter then asks in its place.
            del self._under_way[host]
            done.set_result(None)

    async def _query(self, host: str) -> tuple[Resolved | NoSuchHost | DnsFailed, timedelta]:
        limits = self._limits
        try:
            resolved = await self._resolver.resolve(host)
        except NoSuchHost as absent:
            return NoSuchHost(*absent.args), limits.absent
        except DnsFailed as failed:
            return DnsFailed(*failed.args), limits.failed
        ttl = min(max(timedelta(seconds=resolved.ttl), limits.shortest), limits.longest)
        return resolved, ttl
