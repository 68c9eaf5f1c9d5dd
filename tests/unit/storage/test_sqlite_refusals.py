"""What the SQLite refusal log finds again."""

import asyncio

from nephila_contracts.v1.reason_pb2 import REASON_SCHEME, REASON_TOO_DEEP
from nephila_runtime.database import Database
from nephila_storage.refusals import SAMPLES, RefusedUrl
from nephila_storage.sqlite_refusals import SqliteRefusalLog


def refused(numbers: range) -> list[RefusedUrl]:
    return [RefusedUrl("a.test", REASON_TOO_DEEP, f"http://a.test/{n}", "", 7) for n in numbers]


def test_samples_are_counted_on_after_a_restart() -> None:
    async def run() -> None:
        database = Database.in_memory()
        await SqliteRefusalLog(database).add({}, refused(range(60)))
        log = SqliteRefusalLog(database)
        await log.add({}, refused(range(60, 200)))
        assert len(await log.samples("a.test", REASON_TOO_DEEP)) == SAMPLES
        database.close()

    asyncio.run(run())


def test_totals_are_those_of_earlier_runs_and_of_this_one() -> None:
    async def run() -> None:
        database = Database.in_memory()
        await SqliteRefusalLog(database).add({("a.test", REASON_TOO_DEEP): 2}, ())
        log = SqliteRefusalLog(database)
        assert await log.totals() == {REASON_TOO_DEEP: 2}
        await log.add({("a.test", REASON_TOO_DEEP): 1, ("b.test", REASON_SCHEME): 4}, ())
        assert await log.totals() == {REASON_TOO_DEEP: 3, REASON_SCHEME: 4}
        database.close()

    asyncio.run(run())
