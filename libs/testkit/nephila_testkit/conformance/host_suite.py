"""The behaviour of a host, one law a test. Subclass `HostConformance` and give it a harness."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import Any

import pytest
from nephila_contracts import topics
from nephila_contracts.v1.url_pb2 import UrlDiscovered
from nephila_runtime import (
    Assignment,
    Busy,
    ByKey,
    Handled,
    Poison,
    Record,
    Service,
    Step,
    Tick,
    WholeBatches,
)

from nephila_testkit.conformance.host_harness import (
    HostHarness,
    admitted,
    discovered,
    echo,
    name_of,
    service,
)

Batch = Sequence[Record[UrlDiscovered]]


class HostConformance:
    """Laws of every host. `on_host` makes a harness, runs the scenario on it, and cleans up."""

    def on_host(self, scenario: Callable[[HostHarness], Awaitable[None]]) -> None:
        raise AssertionError("a subclass gives the harness")

    def test_records_of_a_partition_are_handed_in_as_published(self) -> None:
        async def scenario(host: HostHarness) -> None:
            seen: dict[int, list[int]] = {}

            async def note(batch: Batch) -> Handled:
                for record in batch:
                    seen.setdefault(record.partition, []).append(record.offset)
                return await echo(batch)

            await host.publish([discovered(f"s{i % 7}.test", str(i)) for i in range(100)])
            await host.run([service(note)])
            assert sum(map(len, seen.values())) == 100
            assert all(offsets == sorted(set(offsets)) for offsets in seen.values())

        self.on_host(scenario)

    def test_one_key_stays_on_one_partition(self) -> None:
        async def scenario(host: HostHarness) -> None:
            await host.publish([discovered(f"s{i % 5}.test", str(i)) for i in range(50)])
            await host.run([service()])
            places = {(r.key, r.partition) for r in await host.read(topics.URL_ADMITTED)}
            assert len(places) == 5

        self.on_host(scenario)

    @pytest.mark.parametrize("point", ["handled", "prepared"])
    def test_a_crash_before_the_commit_hands_the_batch_in_again_and_shows_nothing_twice(
        self, point: str
    ) -> None:
        async def scenario(host: HostHarness) -> None:
            await host.publish([discovered("a.test", str(i)) for i in range(5)])
            await host.run([service()], crash_at=point)
            assert await host.read(topics.URL_ADMITTED) == []
            await host.run([service()])
            urls = [r.message.url for r in await host.read(topics.URL_ADMITTED)]
            assert urls == [f"https://a.test/{i}" for i in range(5)]

        self.on_host(scenario)

    def test_a_crash_after_the_commit_skips_after_and_repeats_nothing(self) -> None:
        async def scenario(host: HostHarness) -> None:
            learned: list[str] = []

            async def learn(batch: Batch) -> Handled:
                return Handled((await echo(batch)).emits, [name_of(r) for r in batch])

            async def after(names: list[str]) -> None:
                learned.extend(names)

            await host.publish([discovered("a.test", "1")])
            await host.run([service(learn, after=after)], crash_at="committed")
            assert learned == []
            await host.run([service(learn, after=after)])
            assert learned == []
            assert len(await host.read(topics.URL_ADMITTED)) == 1

        self.on_host(scenario)

    def test_after_runs_once_what_was_emitted_can_be_read(self) -> None:
        async def scenario(host: HostHarness) -> None:
            found: list[int] = []

            async def learn(batch: Batch) -> Handled:
                return Handled((await echo(batch)).emits, len(batch))

            async def after(_count: int) -> None:
                found.append(len(await host.read(topics.URL_ADMITTED)))

            await host.publish([discovered("a.test", str(i)) for i in range(3)])
            await host.run([service(learn, after=after)])
            assert found[-1] == 3

        self.on_host(scenario)

    def test_poison_goes_to_the_dead_letters_and_the_rest_goes_on(self) -> None:
        async def scenario(host: HostHarness) -> None:
            async def refuse(batch: Batch) -> Handled:
                for record in batch:
                    if name_of(record) == "bad":
                        raise Poison("no good", record)
                return await echo(batch)

            def told(record: Record[Any], reason: str) -> list[Any]:
                return [admitted(record.key, f"https://{record.key}/dead:{reason}")]

            names = ["1", "bad", "2", "bad", "3"]
            await host.publish([discovered("a.test", name) for name in names])
            await host.run([service(refuse, on_dead=told)])
            urls = sorted(r.message.url for r in await host.read(topics.URL_ADMITTED))
            good = [f"https://a.test/{name}" for name in "123"]
            assert urls == [*good, *["https://a.test/dead:no good"] * 2]
            letters = await host.dead_letters(topics.URL_DISCOVERED)
            assert [letter.message.cause for letter in letters] == ["no good"] * 2
            assert {letter.message.service for letter in letters} == {"echo"}

        self.on_host(scenario)

    def test_a_busy_step_gets_the_same_batch_again_later(self) -> None:
        async def scenario(host: HostHarness) -> None:
            handed: list[tuple[float, list[str]]] = []

            async def wait_once(batch: Batch) -> Handled:
                handed.append((host.clock.now(), [name_of(r) for r in batch]))
                if len(handed) == 1:
                    raise Busy(timedelta(seconds=0.3))
                return await echo(batch)

            await host.publish([discovered("a.test", str(i)) for i in range(3)])
            await host.run([service(wait_once)])
            assert [names for _, names in handed] == [["0", "1", "2"]] * 2
            assert handed[1][0] - handed[0][0] >= 0.3
            assert len(await host.read(topics.URL_ADMITTED)) == 3

        self.on_host(scenario)

    def test_a_step_that_fails_ends_the_run_and_the_next_one_gets_its_batch(self) -> None:
        async def scenario(host: HostHarness) -> None:
            async def fail(_batch: Batch) -> Handled:
                raise OSError("outage")

            await host.publish([discovered("a.test", "1")])
            with pytest.raises(Exception, match="failed"):
                await host.run([service(fail)])
            await host.run([service()])
            assert len(await host.read(topics.URL_ADMITTED)) == 1

        self.on_host(scenario)

    def test_by_key_never_handles_two_records_of_a_key_at_once(self) -> None:
        async def scenario(host: HostHarness) -> None:
            open_keys: list[str] = []
            most = 0

            async def slow(batch: Batch) -> Handled:
                nonlocal most
                (record,) = batch
                assert record.key not in open_keys
                open_keys.append(record.key)
                most = max(most, len(open_keys))
                await host.clock.sleep(0.02)
                open_keys.remove(record.key)
                return await echo(batch)

            await host.publish([discovered(f"s{i % 4}.test", str(i)) for i in range(24)])
            await host.run([service(slow, order=ByKey(under_way=3))])
            assert len(await host.read(topics.URL_ADMITTED)) == 24
            assert 1 < most <= 3

        self.on_host(scenario)

    def test_by_key_repeats_after_a_crash_only_what_was_not_finished(self) -> None:
        async def scenario(host: HostHarness) -> None:
            started: list[str] = []

            async def first_is_slow(batch: Batch) -> Handled:
                name = name_of(batch[0])
                started.append(name)
                if name == "0" and started.count("0") == 1:
                    await host.clock.sleep(3600)
                return await echo(batch)

            # All on one site key, hence one partition, but handled by URL: 0 hangs, 1 to 9 finish.
            order = ByKey(under_way=10, key=name_of)
            await host.publish([discovered("a.test", str(i)) for i in range(10)])
            finished: list[int] = []

            async def count(_batch: Batch) -> Handled:
                finished.extend(1 for _ in _batch)
                return Handled()

            watcher = Service(
                "watcher", (Step("count", topics.URL_ADMITTED, (), count, WholeBatches()),)
            )
            await host.run(
                [service(first_is_slow, order=order), watcher], until=lambda: len(finished) == 9
            )
            await host.run([service(first_is_slow, order=order), watcher])
            assert sorted(started) == ["0", *map(str, range(10))]
            assert len(await host.read(topics.URL_ADMITTED)) == 10

        self.on_host(scenario)

    def test_every_service_reads_all_of_a_topic(self) -> None:
        async def scenario(host: HostHarness) -> None:
            await host.publish([discovered("a.test", str(i)) for i in range(5)])
            await host.run([service(name="one"), service(name="two")])
            assert len(await host.read(topics.URL_ADMITTED)) == 10

        self.on_host(scenario)

    def test_a_service_is_assigned_before_its_first_batch_and_revoked_in_the_end(self) -> None:
        async def scenario(host: HostHarness) -> None:
            told: list[str] = []

            async def assigned(assignment: Assignment) -> Handled:
                told.append(f"assigned {len(assignment.partitions)}")
                return Handled([admitted("z.test", "https://z.test/assigned")])

            async def note(batch: Batch) -> Handled:
                told.append("batch")
                return await echo(batch)

            async def revoked(_partitions: tuple[int, ...]) -> None:
                told.append("revoked")

            one = service(note)
            await host.publish([discovered("a.test", "1")])
            await host.run([Service("echo", one.steps, (), assigned, revoked)])
            assert told == [f"assigned {host.partitions}", "batch", "revoked"]
            assert len(await host.read(topics.URL_ADMITTED)) == 2

        self.on_host(scenario)

    def test_ticks_run_by_themselves_and_eager_ones_after_a_batch(self) -> None:
        async def scenario(host: HostHarness) -> None:
            calm: list[float] = []
            eager: list[float] = []

            async def tick() -> Handled:
                calm.append(host.clock.now())
                return Handled([admitted("a.test", "https://a.test/tick")])

            async def at_once() -> Handled:
                eager.append(host.clock.now())
                return Handled()

            ticks = (
                Tick("calm", timedelta(seconds=0.2), (topics.URL_ADMITTED,), tick),
                Tick("at_once", timedelta(hours=1), (), at_once, eager=True),
            )
            await host.publish([discovered("a.test", "1")])
            await host.run([Service("echo", service().steps, ticks)], until=lambda: len(calm) >= 3)
            assert calm[2] - calm[0] >= 0.4
            assert eager
            urls = [r.message.url for r in await host.read(topics.URL_ADMITTED)]
            assert urls.count("https://a.test/tick") >= 2

        self.on_host(scenario)

    def test_a_tick_runs_when_it_says_that_it_is_next_needed(self) -> None:
        async def scenario(host: HostHarness) -> None:
            wanted = [host.clock.now() + 0.5, host.clock.now() + 0.7]
            ran: list[float] = []

            async def on_time() -> Handled:
                while wanted and wanted[0] <= host.clock.now():
                    ran.append(host.clock.now() - wanted.pop(0))
                return Handled()

            tick = Tick(
                "on_time",
                timedelta(hours=1),
                (),
                on_time,
                next_at=lambda: min(wanted, default=None),
            )
            await host.run([Service("clockwork", (), (tick,))], until=lambda: len(ran) == 2)
            assert all(late < 0.1 for late in ran)

        self.on_host(scenario)

    def test_an_earlier_step_takes_its_input_first(self) -> None:
        async def scenario(host: HostHarness) -> None:
            told: list[str] = []

            def step(name: str, topic: Any) -> Step[Any]:
                async def note(batch: Sequence[Record[Any]]) -> Handled:
                    told.extend(name for _ in batch)
                    return Handled()

                return Step(name, topic, (), note)

            await host.publish([discovered("a.test", "1"), admitted("a.test", "https://a.test/2")])
            first, second = (
                step("first", topics.URL_ADMITTED),
                step("second", topics.URL_DISCOVERED),
            )
            await host.run([Service("two", (first, second))])
            assert told == ["first", "second"]

        self.on_host(scenario)

    def test_a_chain_of_services_passes_everything_on(self) -> None:
        async def scenario(host: HostHarness) -> None:
            urls: list[str] = []

            async def gather(batch: Sequence[Record[Any]]) -> Handled:
                urls.extend(r.message.url for r in batch)
                return Handled()

            sink = Service("sink", (Step("gather", topics.URL_ADMITTED, (), gather),))
            await host.publish([discovered(f"s{i}.test", str(i)) for i in range(200)])
            await host.run([service(order=WholeBatches(1)), sink])
            assert len(urls) == len(set(urls)) == 200

        self.on_host(scenario)
