"""Publishing on Kafka: messages gathered by a turn go out together, to partitions that we compute, and
count as published once every one is acknowledged by all replicas in sync."""

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer, TopicPartition
from nephila_contracts import Topic
from nephila_contracts.v1.control_pb2 import DeadLetter

from nephila_runtime.group_events import Place
from nephila_runtime.kafka_settings import KafkaSettings, milliseconds, producer_options
from nephila_runtime.partitioner import partition_of
from nephila_runtime.service import Emit, Record

# Handed to the client before it has to have sent them: bounds its memory.
_CHUNK_MESSAGES = 20_000
_CHUNK_BYTES = 64 * 1024 * 1024
_TRANSACTION_PATIENCE_S = 30.0


class PublishFailed(Exception):
    """Messages could not be made durable. Some of them may be: the run ends, and repeats them."""


class Batches:
    """The messages of one turn: topic in the cluster, partition, key, value."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, int, bytes, bytes]] = []

    def add(self, topic: str, partition: int, key: str, value: bytes) -> None:
        self.messages.append((topic, partition, key.encode(), value))

    def __bool__(self) -> bool:
        return bool(self.messages)


class KafkaOutbox:
    """Encodes what the running turn is going to publish."""

    def __init__(self, settings: KafkaSettings) -> None:
        self._settings = settings
        self._partitions = settings.partitions
        self._batches = Batches()

    def append(self, emits: Sequence[Emit[Any]]) -> None:
        for emit in emits:
            self._batches.add(
                self._settings.name(emit.topic.name),
                partition_of(emit.key, self._partitions),
                emit.key,
                emit.message.SerializeToString(),
            )

    def append_dead(self, topic: Topic[Any], record: Record[Any], service: str, cause: str) -> None:
        self.append_raw_dead(topic, record, record.message.SerializeToString(), service, cause)

    def append_raw_dead(
        self, topic: Topic[Any], record: Record[Any], value: bytes, service: str, cause: str
    ) -> None:
        """A dead letter of bytes as they were found; the record's own message is not looked at."""
        letter = DeadLetter(
            topic=topic.name,
            partition=record.partition,
            offset=record.offset,
            key=record.key,
            value=value,
            service=service,
            cause=cause,
        )
        self._batches.add(
            self._settings.name(topic.dead_letter_name),
            record.partition,
            record.key,
            letter.SerializeToString(),
        )

    def take(self) -> Batches:
        """What was gathered; the next turn begins empty."""
        taken, self._batches = self._batches, Batches()
        return taken

    def __bool__(self) -> bool:
        return bool(self._batches)


class _Client:
    """librdkafka's producer with a thread of its own to wait in."""

    def __init__(self, options: Mapping[str, Any], thread: str) -> None:
        self._failure: KafkaError | None = None
        self.through: dict[Place, int] = {}
        """One past the last message published, where successes are reported too."""
        self.producer = Producer(dict(options) | {"on_delivery": self._delivered})
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=thread)

    def _delivered(self, error: KafkaError | None, message: Message) -> None:
        if error is not None:
            self._failure = self._failure or error
        else:
            place = message.topic() or "", message.partition() or 0
            self.through[place] = (message.offset() or 0) + 1

    async def run(self, work: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work, *arguments)

    def send(self, batches: Batches) -> None:
        """Hands the messages to the client. Raises PublishFailed."""
        # Not `produce_batch`, which costs half of the 3.5 us a message: in 2.16 it reports the error of
        # one message for another one too.
        produce = self.producer.produce
        size = 0
        try:
            for index, (topic, partition, key, value) in enumerate(batches.messages, 1):
                produce(topic, value, key, partition)
                size += len(value)
                if size > _CHUNK_BYTES or index % _CHUNK_MESSAGES == 0:
                    self.flush()
                    size = 0
        except KafkaException as error:
            raise PublishFailed(error.args[0].str()) from error

    def flush(self) -> None:
        """Returns once everything is acknowledged. Raises PublishFailed."""
        left = self.producer.flush()
        if self._failure is not None or left:
            reason = f"{left} not sent" if self._failure is None else self._failure.str()
            raise PublishFailed(reason)

    def abandon(self) -> None:
        """Drops what was not sent, and ends the thread once what it waits for has given up."""
        self.producer.purge(blocking=False)
        self._thread.shutdown(wait=False)

    async def close(self) -> None:
        await self.run(self.producer.flush, 1.0)
        self._thread.shutdown(wait=False)


class KafkaPublisher:
    """Publishes at least once: idempotent, all replicas in sync. Also for whoever is no service, such as
    the control plane's seeds. `tracked` has the client report each message's offset, at about 1 us."""

    def __init__(
        self, settings: KafkaSettings, name: str = "publisher", *, tracked: bool = False
    ) -> None:
        self._outbox = KafkaOutbox(settings)
        options = producer_options(settings) | {
            "client.id": settings.name(name),
            "delivery.report.only.error": not tracked,
        }
        self._client = _Client(options, f"{name}-publish")

    def through(self, place: Place) -> int | None:
        """One past the last message published there; None before the first, and where not tracked."""
        return self._client.through.get(place)

    async def publish(self, emits: Sequence[Emit[Any]]) -> None:
        """Returns once all are durable. Raises PublishFailed."""
        self._outbox.append(emits)
        await self.send(self._outbox.take())

    async def send(self, batches: Batches) -> None:
        if batches:
            await self._client.run(self._send, batches)

    def _send(self, batches: Batches) -> None:
        self._client.send(batches)
        self._client.flush()

    def abandon(self) -> None:
        self._client.abandon()

    async def close(self) -> None:
        await self._client.close()


class KafkaTransactions:
    """Publishes and commits offsets in one transaction, which readers of committed messages see whole or
    not at all. A member whose partitions are another's by now is refused by its group's generation."""

    def __init__(self, settings: KafkaSettings, name: str) -> None:
        timeout_ms = milliseconds(settings.transaction_timeout)
        options = producer_options(settings) | {
            "client.id": settings.name(name),
            "transactional.id": settings.name(name),
            "transaction.timeout.ms": timeout_ms,
            "message.timeout.ms": timeout_ms,
        }
        self._client = _Client(options, f"{name}-transactions")

    async def start(self) -> None:
        """Ends what a process of the same name left open, and fences it. Raises KafkaException."""
        await self._client.run(self._client.producer.init_transactions, _TRANSACTION_PATIENCE_S)

    async def commit(
        self, batches: Batches, offsets: Sequence[TopicPartition], group: object
    ) -> None:
        """Publishes and commits. Raises PublishFailed when nothing of it can be seen by anybody, or when
        it is not known whether it can: the offsets then found committed tell it."""
        await self._client.run(self._commit, batches, list(offsets), group)

    def _commit(self, batches: Batches, offsets: list[TopicPartition], group: object) -> None:
        producer = self._client.producer
        producer.begin_transaction()
        try:
            self._client.send(batches)
            if offsets:
                producer.send_offsets_to_transaction(offsets, group, _TRANSACTION_PATIENCE_S)
            self._end(producer)
        except (KafkaException, PublishFailed) as error:
            self._abort(producer)
            raise PublishFailed(f"transaction: {error}") from error

    def _end(self, producer: Producer) -> None:
        while True:
            try:
                producer.commit_transaction(_TRANSACTION_PATIENCE_S)
                return
            except KafkaException as error:
                if not error.args[0].retriable():
                    raise

    def _abort(self, producer: Producer) -> None:
        try:
            producer.abort_transaction(_TRANSACTION_PATIENCE_S / 6)
        except KafkaException:
            # The coordinator aborts it after its time-out; the run ends either way.
            return

    def abandon(self) -> None:
        self._client.abandon()

    async def close(self) -> None:
        await self._client.close()
