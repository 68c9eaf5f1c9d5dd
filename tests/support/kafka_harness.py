"""The Kafka host under the suite of all hosts: each service is a host of its own, all in one event loop."""

import asyncio
import uuid
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from confluent_kafka import Consumer, KafkaError, TopicPartition
from nephila_contracts import Topic, topics
from nephila_contracts.v1.control_pb2 import DeadLetter
from nephila_runtime import Emit, Record, Service, SystemClock
from nephila_runtime.kafka_host import KafkaHost
from nephila_runtime.kafka_producer import KafkaPublisher
from nephila_runtime.kafka_settings import KafkaSettings, client_options
from nephila_runtime.kafka_topics import KafkaTopics
from nephila_runtime.liveness import Liveness
from nephila_runtime.pace import Pace

_PATIENCE_S = 60.0
USED = (topics.URL_DISCOVERED, topics.URL_ADMITTED)
QUICK = Pace(least_turn=timedelta(milliseconds=5))


class Crash(BaseException):
    """Stands for the death of the process: nothing catches it on the way out."""


def fresh_settings(address: str, **options: Any) -> KafkaSettings:
    """Settings of a crawl of its own in a shared cluster, with a short session."""
    given: dict[str, Any] = {
        "servers": address,
        "prefix": f"t{uuid.uuid4().hex[:12]}-",
        "partitions": 4,
        "session_timeout": timedelta(seconds=3),
        "longest_turn": timedelta(seconds=20),
        "transaction_timeout": timedelta(seconds=5),
        "wind_up": timedelta(seconds=0.2),
        "publish_timeout": timedelta(seconds=30),
    }
    return KafkaSettings(**{**given, **options})


class KafkaHarness:
    """Hosts over one cluster; `transactional` makes every service ask for transactions."""

    def __init__(self, settings: KafkaSettings, *, transactional: bool = False) -> None:
        self.clock = SystemClock()
        self.settings = settings
        self.partitions = settings.partitions
        self._transactional = transactional
        self._crash_at: str | None = None
        self.hosts: list[KafkaHost] = []
        """Those of the run that is going on, or of the last one."""

    def _reach(self, point: str) -> None:
        if point == self._crash_at:
            raise Crash(point)

    async def publish(self, emits: Sequence[Emit[Any]]) -> None:
        publisher = KafkaPublisher(self.settings)
        await publisher.publish(emits)
        await publisher.close()

    def host(self, service: Service, **options: Any) -> KafkaHost:
        liveness = Liveness(self.clock, self.settings.session_timeout)
        service = replace(service, transactional=self._transactional or service.transactional)
        options = {"pace": QUICK, "reach": self._reach, **options}
        return KafkaHost(service, self.settings, self.clock, liveness, **options)

    async def run(
        self,
        services: Sequence[Service],
        *,
        until: Callable[[], bool] | None = None,
        crash_at: str | None = None,
    ) -> None:
        stop = asyncio.Event()
        self._crash_at = crash_at
        hosts = self.hosts = [self.host(service) for service in services]
        running = [asyncio.create_task(host.run(stop)) for host in hosts]
        read = [step.consumes for service in services for step in service.steps]
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while not any(task.done() for task in running):
                    await asyncio.sleep(0.02)
                    if crash_at is None and (until() if until else self._nothing_left(hosts, read)):
                        stop.set()
                        break
                await asyncio.wait(running, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            # The others of a process that died die with it.
            for task in running:
                task.cancel()
            ends = await asyncio.gather(*running, return_exceptions=True)
            self._crash_at = None
        failures = [end for end in ends if isinstance(end, BaseException)]
        own = [end for end in failures if not isinstance(end, asyncio.CancelledError)]
        if crash_at is not None:
            assert [type(end) for end in own] == [Crash]
        elif own:
            raise own[0]

    def _nothing_left(self, hosts: Sequence[KafkaHost], read: Sequence[Topic[Any]]) -> bool:
        """Every host is idle, and has finished all that can be read in its topics."""
        if not all(host.idle() for host in hosts):
            return False
        held = [host.watermarks() for host in hosts]
        for topic in read:
            for record in read_topic(self.settings, topic):
                place = self.settings.name(topic.name), record.partition
                if any(place in marks and record.offset >= marks[place] for marks in held):
                    return False
        return all(host.idle() for host in hosts)

    async def read(self, topic: Topic[Any]) -> list[Record[Any]]:
        return read_topic(self.settings, topic)

    async def dead_letters(self, topic: Topic[Any]) -> list[Record[Any]]:
        return read_topic(self.settings, Topic(topic.dead_letter_name, DeadLetter))


def read_topic(settings: KafkaSettings, topic: Topic[Any]) -> list[Record[Any]]:
    """All committed messages of a topic, by partition, in order."""
    consumer = Consumer(
        client_options(settings)
        | {
            "group.id": settings.name("reader"),
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "isolation.level": "read_committed",
            "fetch.wait.max.ms": 5,
        }
    )
    name = settings.name(topic.name)
    consumer.assign([TopicPartition(name, p, 0) for p in range(settings.partitions)])
    found: list[Record[Any]] = []
    open_partitions = set(range(settings.partitions))
    while open_partitions:
        for message in consumer.consume(1000, 0.02):
            error = message.error()
            if error is None:
                value = topic.message.FromString(message.value() or b"")
                key = (message.key() or b"").decode()
                found.append(Record(message.partition() or 0, message.offset() or 0, key, value))
            elif error.code() == KafkaError._PARTITION_EOF:  # pyright: ignore[reportPrivateUsage]
                open_partitions.discard(message.partition() or 0)
            else:
                raise RuntimeError(error.str())
    consumer.close()
    return sorted(found, key=lambda record: (record.partition, record.offset))


async def made(settings: KafkaSettings, used: Sequence[Topic[Any]] = USED) -> KafkaSettings:
    await KafkaTopics(settings, SystemClock()).make(used)
    return settings
