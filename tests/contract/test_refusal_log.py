"""One suite for every refusal log."""

import asyncio
from collections.abc import Iterator

import pytest
from nephila_contracts.v1.reason_pb2 import REASON_EXCLUDED, REASON_TOO_DEEP
from nephila_runtime.database import Database
from nephila_storage.refusals import SAMPLES, RefusalLog, RefusedUrl
from nephila_storage.sqlite_refusals import SqliteRefusalLog


@pytest.fixture(params=[SqliteRefusalLog], ids=["sqlite"])
def log(request: pytest.FixtureRequest) -> Iterator[RefusalLog]:
    database = Database.in_memory()
    yield request.param(database)
    database.close()


def refused(number: int, site_key: str = "a.test") -> RefusedUrl:
    return RefusedUrl(
        site_key, REASON_TOO_DEEP, f"http://{site_key}/{number:04}", "http://s.test/", 7
    )


def test_refusals_are_counted_by_site_and_reason(log: RefusalLog) -> None:
    async def run() -> None:
        await log.add({("a.test", REASON_TOO_DEEP): 3, ("b.test", REASON_TOO_DEEP): 1}, [])
        await log.add({("a.test", REASON_TOO_DEEP): 2, ("a.test", REASON_EXCLUDED): 5}, [])
        assert await log.counts() == {
            ("a.test", REASON_TOO_DEEP): 5,
            ("a.test", REASON_EXCLUDED): 5,
            ("b.test", REASON_TOO_DEEP): 1,
        }
        assert await log.totals() == {REASON_TOO_DEEP: 6, REASON_EXCLUDED: 5}

    asyncio.run(run())


def test_a_hundred_samples_are_kept_of_each_site_and_reason(log: RefusalLog) -> None:
    async def run() -> None:
        for start in range(0, 300, 60):
            await log.add({}, [refused(number) for number in range(start, start + 60)])
        await log.add({}, [refused(1, "b.test")])
        assert await log.samples("a.test", REASON_TOO_DEEP) == [refused(n) for n in range(SAMPLES)]
        assert await log.samples("b.test", REASON_TOO_DEEP) == [refused(1, "b.test")]
        assert await log.samples("a.test", REASON_EXCLUDED) == []

    asyncio.run(run())


def test_a_url_is_one_sample_however_often_it_comes(log: RefusalLog) -> None:
    async def run() -> None:
        await log.add({}, [refused(1)] * 200)
        await log.add({}, [refused(number) for number in range(2, SAMPLES + 50)])
        assert len(await log.samples("a.test", REASON_TOO_DEEP)) == SAMPLES
        assert await log.find("a.test", refused(1).url) == [refused(1)]
        assert await log.find("a.test", "http://a.test/none") == []

    asyncio.run(run())
