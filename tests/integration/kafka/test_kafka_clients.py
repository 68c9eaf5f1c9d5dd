"""The other clients of the cluster: the operator's words, the lag of others, and anybody's producer."""

import asyncio
from datetime import timedelta

import pytest
from confluent_kafka import KafkaError, Message, Producer
from kafka_harness import KafkaHarness, fresh_settings, made, read_topic
from nephila_contracts import topics
from nephila_contracts.v1.control_pb2 import CrawlControl
from nephila_runtime import Handled, Service, SystemClock, Tick
from nephila_runtime.kafka_control import ControlReader, ControlUnread
from nephila_runtime.kafka_lag import GroupLag
from nephila_runtime.kafka_settings import KafkaSettings, client_options
from nephila_runtime.partitioner import partition_of
from nephila_testkit.conformance.host_harness import admitted, discovered, service

pytestmark = pytest.mark.timeout(120)

PARTITIONS = 7


@pytest.fixture
def settings(kafka_address: str) -> KafkaSettings:
    used = (topics.URL_DISCOVERED, topics.URL_ADMITTED, topics.CRAWL_CONTROL)
    return asyncio.run(made(fresh_settings(kafka_address, partitions=PARTITIONS), used))


def test_any_clients_murmur2_lands_on_our_partition(settings: KafkaSettings) -> None:
    keys = ["a.test", "bücher.example", "x", "", "192.0.2.1", *(f"s{i}.test" for i in range(200))]
    landed: dict[str, int] = {}

    def delivered(error: KafkaError | None, message: Message) -> None:
        assert error is None
        landed[(message.key() or b"").decode()] = message.partition() or 0

    producer = Producer(client_options(settings) | {"partitioner": "murmur2_random"})
    name = settings.name(topics.URL_ADMITTED.name)
    for key in keys:
        producer.produce(name, b"", key.encode(), on_delivery=delivered)
    producer.flush()
    # An empty key is none to the client, and goes anywhere.
    assert {k: p for k, p in landed.items() if k} == {
        k: partition_of(k, PARTITIONS) for k in keys if k
    }


def said(settings: KafkaSettings, target: str, value: bytes | None) -> None:
    producer = Producer(client_options(settings))
    producer.produce(settings.name(topics.CRAWL_CONTROL.name), value, target.encode())
    producer.flush()


def test_what_the_operator_said_is_heard_whole_before_anything_is_done(
    settings: KafkaSettings,
) -> None:
    blocked = CrawlControl(target="a.test", blocklisted=True).SerializeToString()
    said(settings, "a.test", blocked)
    said(settings, "bad", b"\xff\xff")
    for target in ("h0.test", "h1.test", "h2.test"):
        said(settings, target, CrawlControl(target=target, paused=True).SerializeToString())
    heard: dict[str, CrawlControl | None] = {}
    unreadable: list[str] = []

    async def scenario() -> None:
        clock = SystemClock()
        reader = ControlReader(
            settings, topics.CRAWL_CONTROL, clock, heard.__setitem__, unreadable.append
        )
        await reader.read_to_end()
        assert heard.keys() == {"a.test", "h0.test", "h1.test", "h2.test"}
        assert len(unreadable) == 1
        following = asyncio.create_task(reader.follow())
        said(settings, "a.test", None)
        async with asyncio.timeout(10):
            while heard["a.test"] is not None:
                await clock.sleep(0.05)
        following.cancel()
        reader.close()

    asyncio.run(scenario())


def test_nobody_acts_when_the_operators_words_cannot_be_read(kafka_address: str) -> None:
    async def scenario() -> None:
        settings = fresh_settings(kafka_address)
        reader = ControlReader(
            settings, topics.CRAWL_CONTROL, SystemClock(), lambda _key, _message: None
        )
        with pytest.raises(ControlUnread, match="crawl_control"):
            await reader.read_to_end()
        reader.close()

    asyncio.run(scenario())


def test_the_lag_of_a_service_is_what_it_has_not_finished(settings: KafkaSettings) -> None:
    async def scenario() -> None:
        host = KafkaHarness(settings)
        lag = GroupLag(settings, [("echo", topics.URL_DISCOVERED)], host.clock)
        await host.publish([discovered(f"s{i}.test", "1") for i in range(20)])
        await lag.look()
        assert lag.lag("echo", "url_discovered") == 20
        await host.run([service()])
        await lag.look()
        assert lag.lag("echo", "url_discovered") == 0
        partition = partition_of("s3.test", PARTITIONS)
        through = lag.committed("echo", "url_discovered", partition)
        assert through == lag.end("url_discovered", partition) > 0

    asyncio.run(scenario())


def test_a_tracked_host_knows_the_offsets_that_it_published(settings: KafkaSettings) -> None:
    async def scenario() -> None:
        harness = KafkaHarness(settings)
        ran: list[int] = []

        async def emit() -> Handled:
            ran.append(1)
            return Handled([admitted("a.test", "https://a.test/")] * 3)

        tick = Tick("emit", timedelta(hours=1), (topics.URL_ADMITTED,), emit)
        host = harness.host(Service("emitter", (), (tick,)), tracked=True)
        partition = partition_of("a.test", PARTITIONS)
        assert host.published_through(topics.URL_ADMITTED, partition) is None
        stop = asyncio.Event()
        running = asyncio.create_task(host.run(stop))
        while not running.done() and host.published_through(topics.URL_ADMITTED, partition) != 3:
            await harness.clock.sleep(0.02)
        stop.set()
        await running
        assert len(read_topic(settings, topics.URL_ADMITTED)) == 3

    asyncio.run(scenario())
