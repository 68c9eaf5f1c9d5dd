"""The DNS cache: bounded in time and number, and one query a name at a time."""

import asyncio
from collections.abc import Coroutine
from datetime import timedelta
from typing import Any

import pytest
from nephila_fetcher import DnsFailed, NoSuchHost, Resolved
from nephila_fetcher.dns_cache import DnsCache, DnsCacheLimits
from nephila_fetcher.dns_resolver import literal_address, split_host
from nephila_runtime.virtual_time import VirtualClock, run_virtual

_LIMITS = DnsCacheLimits(
    shortest=timedelta(seconds=10),
    longest=timedelta(seconds=100),
    absent=timedelta(seconds=50),
    failed=timedelta(seconds=5),
    hosts=3,
)


class _Counting:
    """Answers after a second, and counts."""

    def __init__(self, answer: Resolved | Exception) -> None:
        self.answer = answer
        self.asked: list[str] = []

    async def resolve(self, host: str) -> Resolved:
        self.asked.append(host)
        await asyncio.sleep(1)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


def _run(resolver: _Counting, scenario: Any) -> None:
    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        await scenario(DnsCache(resolver, clock, _LIMITS), clock)

    coroutine: Coroutine[Any, Any, None] = main()
    run_virtual(coroutine)


@pytest.mark.parametrize(("ttl", "kept"), [(0.0, 10), (50.0, 50), (1e9, 100)])
def test_an_answer_is_kept_for_its_time_within_bounds(ttl: float, kept: int) -> None:
    resolver = _Counting(Resolved(("1.2.3.4",), ttl))

    async def scenario(cache: DnsCache, clock: VirtualClock) -> None:
        await cache.resolve("a.test")
        await clock.sleep(kept - 0.5)
        await cache.resolve("a.test")
        assert len(resolver.asked) == 1
        await clock.sleep(1)
        await cache.resolve("a.test")
        assert len(resolver.asked) == 2

    _run(resolver, scenario)


@pytest.mark.parametrize(("error", "kept"), [(NoSuchHost("x"), 50), (DnsFailed("x"), 5)])
def test_absences_and_failures_are_kept_too(error: Exception, kept: int) -> None:
    resolver = _Counting(error)

    async def scenario(cache: DnsCache, clock: VirtualClock) -> None:
        for _ in range(20):
            with pytest.raises(type(error)):
                await cache.resolve("a.test")
        assert len(resolver.asked) == 1
        await clock.sleep(kept + 0.1)
        with pytest.raises(type(error)):
            await cache.resolve("a.test")
        assert len(resolver.asked) == 2

    _run(resolver, scenario)


def test_one_name_has_one_query_under_way() -> None:
    resolver = _Counting(Resolved(("1.2.3.4",), 60))

    async def scenario(cache: DnsCache, _clock: VirtualClock) -> None:
        answers = await asyncio.gather(*(cache.resolve("a.test") for _ in range(50)))
        assert len(resolver.asked) == 1
        assert {answer.addresses for answer in answers} == {("1.2.3.4",)}

    _run(resolver, scenario)


def test_when_the_asker_is_cancelled_a_waiter_asks_in_its_place() -> None:
    resolver = _Counting(Resolved(("1.2.3.4",), 60))

    async def scenario(cache: DnsCache, clock: VirtualClock) -> None:
        first = asyncio.create_task(cache.resolve("a.test"))
        second = asyncio.create_task(cache.resolve("a.test"))
        await clock.sleep(0.5)
        first.cancel()
        assert (await second).addresses == ("1.2.3.4",)
        assert resolver.asked == ["a.test", "a.test"]

    _run(resolver, scenario)


def test_the_least_recently_used_name_goes_first() -> None:
    resolver = _Counting(Resolved(("1.2.3.4",), 60))

    async def scenario(cache: DnsCache, _clock: VirtualClock) -> None:
        for host in ("a.test", "b.test", "c.test", "a.test", "d.test", "a.test"):
            await cache.resolve(host)
        assert resolver.asked == ["a.test", "b.test", "c.test", "d.test"]
        assert len(cache) == 3

    _run(resolver, scenario)


def test_an_address_needs_no_query() -> None:
    resolver = _Counting(NoSuchHost("x"))

    async def scenario(cache: DnsCache, _clock: VirtualClock) -> None:
        assert (await cache.resolve("127.0.0.1")).addresses == ("127.0.0.1",)
        assert (await cache.resolve("::1")).addresses == ("::1",)
        assert resolver.asked == []

    _run(resolver, scenario)


def test_hosts_come_apart_into_name_and_port() -> None:
    assert split_host("a.test") == ("a.test", None)
    assert split_host("a.test:8080") == ("a.test", 8080)
    assert split_host("[::1]") == ("::1", None)
    assert split_host("[::1]:81") == ("::1", 81)
    assert literal_address("dead.beef") is None
    assert literal_address("fe80::a") == "fe80::a"
