"""How far other services have come: their groups' committed offsets and the ends of their topics."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any

from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.admin._listoffsets import OffsetSpec
from nephila_contracts import Topic

from nephila_runtime.clock import Clock
from nephila_runtime.group_events import Place
from nephila_runtime.kafka_settings import KafkaSettings, client_options

_PATIENCE_S = 10.0


class GroupLag:
    """Watches what services read, `(service, topic)`. `look` asks the cluster; the rest is memory.

    Offsets are those of the last look: what was published since has a higher one than `end` says.
    """

    def __init__(
        self, settings: KafkaSettings, read: Iterable[tuple[str, Topic[Any]]], clock: Clock
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._admin = AdminClient(client_options(settings))
        self._read = [(service, topic.name) for service, topic in read]
        self._committed: dict[tuple[str, Place], int] = {}
        self._ends: dict[Place, int] = {}
        self.looked_at: float | None = None
        """When the offsets were last asked for, on the clock; None before the first answer."""

    def committed(self, service: str, topic: str, partition: int) -> int:
        """Below it the service has finished everything, and committed that."""
        return self._committed.get((service, (topic, partition)), 0)

    def end(self, topic: str, partition: int) -> int:
        """One past the last record."""
        return self._ends.get((topic, partition), 0)

    def lag(self, service: str, topic: str) -> int:
        """Records that the service has still to finish."""
        return sum(
            max(self.end(topic, p) - self.committed(service, topic, p), 0)
            for p in range(self._settings.partitions)
        )

    async def look(self) -> None:
        """Raises KafkaException when the cluster does not answer: what is known grows old."""
        asked_at = self._clock.now()
        await asyncio.to_thread(self._look)
        self.looked_at = asked_at

    def _look(self) -> None:
        # Committed first: the other way round a lag could look smaller than it is.
        for service in sorted({service for service, _ in self._read}):
            places = self._places([topic for reader, topic in self._read if reader == service])
            group = ConsumerGroupTopicPartitions(self._settings.name(service), places)
            (answer,) = self._admin.list_consumer_group_offsets(
                [group], request_timeout=_PATIENCE_S
            ).values()
            for place in answer.result().topic_partitions or []:
                if place.error is not None:
                    raise KafkaException(place.error)
                key = service, (self._plain(place.topic), place.partition)
                self._committed[key] = max(place.offset, 0)
        latest: OffsetSpec = OffsetSpec.latest()  # pyright: ignore[reportAssignmentType]
        asked = dict.fromkeys(self._places([topic for _, topic in self._read]), latest)
        for place, future in self._admin.list_offsets(asked, request_timeout=_PATIENCE_S).items():
            self._ends[self._plain(place.topic), place.partition] = future.result().offset

    def _places(self, topics: Sequence[str]) -> list[TopicPartition]:
        return [
            TopicPartition(self._settings.name(topic), partition)
            for topic in sorted(set(topics))
            for partition in range(self._settings.partitions)
        ]

    def _plain(self, name: str) -> str:
        return name.removeprefix(self._settings.prefix)
