"""The embedded host under the suite of all hosts, and what it alone promises."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from nephila_contracts import Topic, topics
from nephila_contracts.v1.control_pb2 import DeadLetter
from nephila_runtime import Emit, Handled, Record, Service
from nephila_runtime.database import Database
from nephila_runtime.embedded_host import EmbeddedHost, EmbeddedSettings
from nephila_runtime.embedded_log import EmbeddedLog
from nephila_runtime.partitioner import murmur2, partition_of
from nephila_runtime.virtual_time import VirtualClock, run_virtual
from nephila_testkit.conformance.host_harness import HostHarness, discovered, echo, service
from nephila_testkit.conformance.host_suite import HostConformance


class Crash(BaseException):
    """Stands for the death of the process: nothing catches it on the way out."""


class EmbeddedHarness:
    """The embedded host on simulated time over one database file."""

    def __init__(self, path: Path, settings: EmbeddedSettings) -> None:
        self.clock = VirtualClock(asyncio.get_running_loop())
        self.partitions = settings.partitions
        self._settings = settings
        self._path = path
        self._crash_at: str | None = None

    def _reach(self, point: str) -> None:
        if point == self._crash_at:
            raise Crash(point)

    async def publish(self, emits: Sequence[Emit[Any]]) -> None:
        database = Database.open_for_simulation(self._path)
        log = self._log(database)
        with database.transaction():
            log.append(emits)
            log.flush()
        database.close()

    async def run(
        self,
        services: Sequence[Service],
        *,
        until: Callable[[], bool] | None = None,
        crash_at: str | None = None,
    ) -> None:
        database = Database.open_for_simulation(self._path)
        stop = asyncio.Event()
        host = EmbeddedHost(
            database,
            services,
            self.clock,
            kept=topics.ALL,
            settings=self._settings,
            reach=self._reach,
        )
        finished = until or host.idle
        self._crash_at = crash_at
        running = asyncio.create_task(host.run(stop))
        try:
            while not running.done():
                await asyncio.sleep(0.01)
                if crash_at is None and finished():
                    stop.set()
            await running
        except Crash:
            assert crash_at is not None
        finally:
            self._crash_at = None
            database.close()

    async def read(self, topic: Topic[Any]) -> list[Record[Any]]:
        return self._read(topic)

    async def dead_letters(self, topic: Topic[Any]) -> list[Record[Any]]:
        return self._read(Topic(topic.dead_letter_name, DeadLetter))

    def _read(self, topic: Topic[Any]) -> list[Record[Any]]:
        database = Database.open_for_simulation(self._path)
        log = EmbeddedLog(database, [topic], partitions=self.partitions).topic(topic.name)
        found = [r for p in range(self.partitions) for r in log.take(p, 0, 100_000)]
        database.close()
        return found

    def _log(self, database: Database) -> EmbeddedLog:
        return EmbeddedLog(database, topics.ALL, partitions=self.partitions)


class TestEmbeddedHost(HostConformance):
    settings = EmbeddedSettings(partitions=4, least_turn=timedelta(milliseconds=5))

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.path = tmp_path / "state.sqlite"

    def on_host(self, scenario: Callable[[HostHarness], Awaitable[None]]) -> None:
        async def main() -> None:
            await scenario(EmbeddedHarness(self.path, self.settings))

        run_virtual(main())


class TestEmbeddedHostInTinySegments(TestEmbeddedHost):
    """The same laws when every few records begin a new segment."""

    settings = EmbeddedSettings(partitions=3, segment_bytes=100)


def test_store_rows_commit_with_the_emits(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    database = Database.open(path)
    database.define(["CREATE TABLE counted (name TEXT)"])

    async def write(batch: Sequence[Record[Any]]) -> Handled:
        database.execute("INSERT INTO counted VALUES ('x')")
        return await echo(batch)

    def crash(point: str) -> None:
        if point == "prepared" and database.row("SELECT 1 FROM counted"):
            raise Crash(point)

    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        host = EmbeddedHost(database, [service(write)], clock, reach=crash)
        running = asyncio.create_task(host.run(asyncio.Event()))
        publishing = asyncio.create_task(host.publish([discovered("a.test", "1")]))
        with pytest.raises(Crash):
            await running
        publishing.cancel()

    run_virtual(main())
    assert database.rows("SELECT * FROM counted") == []
    database.close()


def test_the_host_is_not_idle_while_a_turn_is_being_committed(tmp_path: Path) -> None:
    database = Database.open_for_simulation(tmp_path / "state.sqlite")
    idle_during_commit: list[bool] = []

    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())

        async def slow_commit(database: Database) -> None:
            await clock.sleep(0.1)
            idle_during_commit.append(host.idle())
            database.execute("COMMIT")

        host = EmbeddedHost(database, [service()], clock, commit=slow_commit)
        stop = asyncio.Event()
        running = asyncio.create_task(host.run(stop))
        await host.publish([discovered("a.test", "1")])
        await clock.sleep(1)
        assert host.idle()
        stop.set()
        await running

    run_virtual(main())
    assert idle_during_commit
    assert not any(idle_during_commit)
    database.close()


def test_the_log_gives_back_the_space_of_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "state.sqlite"
    database = Database.open(path)
    settings = EmbeddedSettings(
        partitions=2, segment_bytes=4000, trim_every=timedelta(milliseconds=50)
    )

    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        host = EmbeddedHost(database, [service()], clock, settings=settings)
        stop = asyncio.Event()
        running = asyncio.create_task(host.run(stop))
        pages: list[int] = []
        for round_number in range(40):
            await host.publish(
                [discovered(f"s{i % 9}.test", f"{round_number}-{i}" * 20) for i in range(40)]
            )
            await clock.sleep(0.2)
            (count,) = database.row("PRAGMA page_count") or (0,)
            pages.append(count)
        stop.set()
        await running
        assert pages[-1] <= pages[9] * 1.1

    run_virtual(main())
    tables = database.rows("SELECT name FROM sqlite_master WHERE name LIKE 'log_url_discovered_%'")
    assert len(tables) <= 2
    database.close()


@pytest.mark.parametrize(
    ("key", "hashed"),
    # org.apache.kafka.common.utils.UtilsTest, testMurmur2
    [
        ("21", -973932308),
        ("foobar", -790332482),
        ("a-little-bit-long-string", -985981536),
        ("a-little-bit-longer-string", -1486304829),
        ("lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        ("abc", 479470107),
    ],
)
def test_the_partitioner_is_kafkas(key: str, hashed: int) -> None:
    assert murmur2(key.encode()) == hashed & 0xFFFFFFFF
    assert partition_of(key, 7) == (hashed & 0x7FFFFFFF) % 7
