"""url_dedup on a seen set in Redis: what the set gets wrong costs reads of url_state, never a URL."""

import asyncio
from collections.abc import Iterator

import pytest
from nephila_contracts.v1.url_pb2 import DiscoveredLink, UrlDiscovered
from nephila_runtime import Assignment, Record, Service, SystemClock
from nephila_runtime.database import Database
from nephila_storage.redis_seen_set import RedisSeenSet
from nephila_storage.sqlite_refusals import SqliteRefusalLog
from nephila_storage.sqlite_url_state import SqliteUrlAdmissions
from nephila_telemetry.prometheus_recorder import PrometheusRecorder
from nephila_url_dedup import Blocklist, Judgement, UrlDedupSettings, build_url_dedup
from nephila_urls import AdmissionRules, Scope, ScopeKind, TrapRules, canonicalise
from redis_sets import connected, digests, forget, fresh_partition

RULES = AdmissionRules(Scope(ScopeKind.ANY, [canonicalise("http://a.test/")]), TrapRules(2026))


@pytest.fixture
def partition(redis_address: str) -> Iterator[int]:
    number = fresh_partition()
    yield number
    forget(redis_address, number)


def service_on(database: Database, seen: RedisSeenSet, metrics: PrometheusRecorder) -> Service:
    return build_url_dedup(
        UrlDedupSettings(),
        Judgement(RULES, Blocklist().covers),
        SqliteUrlAdmissions(database),
        seen,
        SqliteRefusalLog(database),
        SystemClock(),
        metrics,
    )


async def admitted(service: Service, offset: int, start: int, end: int) -> int:
    """How many of these URLs a message at `offset` lets through."""
    links = [DiscoveredLink(url=f"http://a.test/{number}") for number in range(start, end)]
    message = UrlDiscovered(site_key="a.test", links=links)
    (step,) = service.steps
    handled = await step.handle([Record(0, offset, "a.test", message)])
    await step.after(handled.learned)
    return len(handled.emits)


def test_one_in_twenty_new_urls_that_collide_are_all_admitted(
    redis_address: str, partition: int
) -> None:
    metrics = PrometheusRecorder()

    async def run(database: Database) -> None:
        async with connected(redis_address) as connections:
            seen = RedisSeenSet(connections, partition, "a", 10_000)
            service = service_on(database, seen, metrics)
            await service.assigned(Assignment((0,), True))
            await seen.add(digests(0, 2000)[::20])
            assert await admitted(service, 0, 0, 1000) == 1000
            assert await admitted(service, 1, 500, 2000) == 1000
            assert await admitted(service, 2, 0, 2000) == 0

    database = Database.in_memory()
    asyncio.run(run(database))
    database.close()


def test_wiped_in_the_middle_it_admits_each_once_and_is_built_anew(
    redis_address: str, partition: int
) -> None:
    async def run(database: Database) -> None:
        async with connected(redis_address) as connections:
            seen = RedisSeenSet(connections, partition, "a", 10_000)
            service = service_on(database, seen, PrometheusRecorder())
            await service.assigned(Assignment((0,), True))
            assert await admitted(service, 0, 0, 1000) == 1000
            forget(redis_address, partition)
            # Another process, that remembers none of them.
            other = service_on(database, seen, PrometheusRecorder())
            assert await admitted(other, 1, 500, 1500) == 500
            assert seen.behind()
            (grow,) = other.ticks
            for _ in range(3):
                await grow.run()
            assert not seen.behind()
            assert all(await seen.probably_seen(digests(0, 1500)))
            assert sum(await seen.probably_seen(digests(1500, 3000))) < 10
            assert await admitted(other, 2, 0, 2000) == 500

    database = Database.in_memory()
    asyncio.run(run(database))
    database.close()
