"""The two ways in which a turn becomes durable on Kafka."""

from collections.abc import Sequence
from typing import Protocol

from confluent_kafka import TopicPartition

from nephila_runtime.group_events import Place
from nephila_runtime.kafka_consumer import KafkaConsumer
from nephila_runtime.kafka_producer import Batches, KafkaPublisher, KafkaTransactions


class Committer(Protocol):
    async def start(self) -> None: ...

    async def commit(
        self, batches: Batches, offsets: Sequence[TopicPartition], group: object
    ) -> float | None:
        """Publishes and commits. Answers when the coordinator was sent what proves the partitions
        held, on the clock, or None. Raises PublishFailed or KafkaException."""
        ...

    def through(self, place: Place) -> int | None:
        """One past the last message published there, where that is tracked."""
        ...

    def abandon(self) -> None: ...

    async def close(self) -> None: ...


class CommitAfterPublishing:
    """Publish, wait until all of it is durable, commit the offsets: a crash between repeats messages."""

    def __init__(self, publisher: KafkaPublisher, consumer: KafkaConsumer | None) -> None:
        self._publisher = publisher
        self._consumer = consumer

    async def start(self) -> None:
        return

    async def commit(
        self, batches: Batches, offsets: Sequence[TopicPartition], group: object
    ) -> float | None:
        await self._publisher.send(batches)
        if not offsets or self._consumer is None:
            return None
        return await self._consumer.commit(offsets)

    def through(self, place: Place) -> int | None:
        return self._publisher.through(place)

    def abandon(self) -> None:
        self._publisher.abandon()

    async def close(self) -> None:
        await self._publisher.close()


class CommitInTransaction:
    """Messages and offsets in one transaction; offsets alone need none."""

    def __init__(self, transactions: KafkaTransactions, consumer: KafkaConsumer | None) -> None:
        self._transactions = transactions
        self._consumer = consumer

    async def start(self) -> None:
        await self._transactions.start()

    async def commit(
        self, batches: Batches, offsets: Sequence[TopicPartition], group: object
    ) -> float | None:
        if batches:
            await self._transactions.commit(batches, offsets, group)
            return None
        if not offsets or self._consumer is None:
            return None
        return await self._consumer.commit(offsets)

    def through(self, place: Place) -> int | None:
        return None

    def abandon(self) -> None:
        self._transactions.abandon()

    async def close(self) -> None:
        await self._transactions.close()
