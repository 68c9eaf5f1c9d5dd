"""A broker that dies, that is not there, or that holds something else than the contracts say."""

import asyncio
import signal
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from kafka_harness import USED, KafkaHarness, fresh_settings, made, read_topic
from kafka_members import eventually, member
from nephila_contracts import topics
from nephila_runtime import Busy, Handled, Poison, Record, Service, Step, SystemClock
from nephila_runtime.dead_letter_limit import TooManyDeadLetters
from nephila_runtime.kafka_settings import KafkaSettings, client_options
from nephila_runtime.kafka_topics import KafkaTopics, KafkaUnavailable, TopicsDiffer
from nephila_runtime.partitioner import partition_of
from nephila_testkit.conformance.host_harness import admitted as admitted_url
from nephila_testkit.conformance.host_harness import discovered, service
from nephila_testkit.free_ports import free_tcp_port
from nephila_testkit.servers import Server

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def settings(kafka_address: str) -> KafkaSettings:
    return asyncio.run(made(fresh_settings(kafka_address)))


def admitted(settings: KafkaSettings) -> set[str]:
    return {record.message.url for record in read_topic(settings, topics.URL_ADMITTED)}


@pytest.mark.parametrize("transactional", [False, True])
def test_a_broker_that_is_killed_and_comes_back_loses_nothing(
    own_server: Callable[[str], Server], tmp_path: Path, transactional: bool
) -> None:
    kafka = own_server("kafka")
    kafka.start()
    options = {"session_timeout": timedelta(seconds=30), "longest_turn": timedelta(seconds=60)}
    settings = asyncio.run(made(fresh_settings(kafka.address, **options)))
    emits = [discovered(f"s{i % 12}.test", str(i)) for i in range(400)]
    asyncio.run(KafkaHarness(settings).publish(emits))
    with member(settings, tmp_path / "told", takes=0.05, transactional=transactional) as one:
        eventually(lambda: len(one.started()) > 100)
        kafka.kill()
        kafka.start()
        if transactional:
            # What was open is over after its time-out; the supervisor starts the next one.
            eventually(lambda: one.ended() or len(admitted(settings)) == 400)
        else:
            eventually(lambda: len(admitted(settings)) == 400)
            assert not one.ended()
    with member(settings, tmp_path / "next", transactional=transactional):
        eventually(lambda: len(admitted(settings)) == 400)
    found = [record.message.url for record in read_topic(settings, topics.URL_ADMITTED)]
    assert not transactional or len(found) == 400


def test_an_absent_broker_is_told_in_one_line() -> None:
    settings = KafkaSettings(servers=f"127.0.0.1:{free_tcp_port()}")
    with pytest.raises(KafkaUnavailable, match=f"Kafka at {settings.servers}: ") as told:
        asyncio.run(KafkaTopics(settings, SystemClock(), patience_s=1.0).check(USED))
    assert "\n" not in str(told.value)


def test_a_missing_topic_keeps_a_service_from_starting(kafka_address: str) -> None:
    settings = fresh_settings(kafka_address)
    with pytest.raises(TopicsDiffer, match="is missing"):
        asyncio.run(KafkaHarness(settings).run([service()]))


def test_another_partition_count_keeps_a_service_from_starting(settings: KafkaSettings) -> None:
    other = settings.model_copy(update={"partitions": 8})
    with pytest.raises(TopicsDiffer, match="has 4 partitions, not 8"):
        asyncio.run(KafkaHarness(other).run([service()]))


def test_topics_are_made_once(settings: KafkaSettings) -> None:
    assert asyncio.run(KafkaTopics(settings, SystemClock()).make(USED)) == []


def test_what_is_no_message_goes_to_the_dead_letters_as_it_was(settings: KafkaSettings) -> None:
    producer = Producer(client_options(settings))
    name = settings.name(topics.URL_DISCOVERED.name)
    producer.produce(name, b"\xff\xff not protobuf", b"a.test", partition=2)
    producer.produce(name, None, b"a.test", partition=2)
    producer.flush()

    async def scenario() -> None:
        host = KafkaHarness(settings)
        await host.publish([discovered("a.test", "good")])
        seen: list[Record[Any]] = []
        ends = dict.fromkeys(range(4), 0) | {2: 2}
        ends[partition_of("a.test", 4)] += 1
        done = {(name, partition): end for partition, end in ends.items()}

        async def note(batch: Sequence[Record[Any]]) -> Handled:
            seen.extend(batch)
            return Handled()

        await host.run([service(note)], until=lambda: host.hosts[0].watermarks() == done)
        (letter,) = await host.dead_letters(topics.URL_DISCOVERED)
        assert letter.message.value == b"\xff\xff not protobuf"
        assert letter.message.partition == 2
        assert "not a url_discovered" in letter.message.cause
        assert len(seen) == 1

    asyncio.run(scenario())


def test_a_service_that_buries_nearly_everything_stops_instead(settings: KafkaSettings) -> None:
    async def scenario() -> None:
        host = KafkaHarness(settings)
        await host.publish([discovered(f"s{i % 9}.test", str(i)) for i in range(400)])

        async def refuse(batch: Sequence[Record[Any]]) -> Handled:
            raise Poison("everything is wrong", batch[0])

        with pytest.raises(TooManyDeadLetters):
            await host.run([service(refuse)])
        assert len(await host.dead_letters(topics.URL_DISCOVERED)) < 100

    asyncio.run(scenario())


def test_what_waits_in_memory_is_bounded_while_a_step_is_busy(settings: KafkaSettings) -> None:
    small = settings.model_copy(update={"intake_records": 50})

    async def scenario() -> None:
        host = KafkaHarness(small)
        await host.publish([discovered(f"s{i % 9}.test", str(i)) for i in range(3000)])
        in_memory: list[int] = []
        handled: list[int] = []

        async def slowly(batch: Sequence[Record[Any]]) -> Handled:
            in_memory.append(host.hosts[0].in_memory())
            await host.clock.sleep(0.001)
            handled.extend(record.offset for record in batch)
            return Handled()

        await host.run([service(slowly)], until=lambda: len(handled) == 3000)
        # One call of the client may bring 500 more than the bound.
        assert max(in_memory) < 50 + 500

    asyncio.run(scenario())


def test_a_step_that_is_busy_for_long_holds_up_no_other_one(settings: KafkaSettings) -> None:
    small = settings.model_copy(update={"intake_records": 50})

    async def scenario() -> None:
        host = KafkaHarness(small)
        await host.publish([admitted_url(f"s{i % 9}.test", str(i)) for i in range(2000)])
        await host.publish([discovered(f"s{i % 9}.test", str(i)) for i in range(2000)])
        began = host.clock.now()
        told: list[str] = []

        async def busy(batch: Sequence[Record[Any]]) -> Handled:
            if host.clock.now() < began + 6:
                raise Busy(timedelta(seconds=0.2))
            told.extend("busy" for _ in batch)
            return Handled()

        async def free(batch: Sequence[Record[Any]]) -> Handled:
            told.extend("free" for _ in batch)
            return Handled()

        steps = (
            Step("busy", topics.URL_ADMITTED, (), busy),
            Step("free", topics.URL_DISCOVERED, (), free),
        )
        await host.run([Service("two", steps)], until=lambda: len(told) == 4000)
        assert told[:2000] == ["free"] * 2000

    asyncio.run(scenario())


def test_a_stop_leaves_nothing_to_be_repeated(settings: KafkaSettings, tmp_path: Path) -> None:
    asyncio.run(KafkaHarness(settings).publish([discovered("a.test", str(i)) for i in range(50)]))
    with member(settings, tmp_path / "first", keyed=True) as first:
        eventually(lambda: len(admitted(settings)) == 50)
        first.send(signal.SIGTERM)
        eventually(first.ended)
    with member(settings, tmp_path / "second") as second:
        eventually(lambda: second.events("assigned"))
    assert second.started() == []
    assert second.events("assigned")[0].words[-1] == "clean"
