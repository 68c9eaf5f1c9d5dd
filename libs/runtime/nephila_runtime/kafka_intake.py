"""One step's place in its topic on Kafka: what waits in memory, what is under way, what is finished."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from confluent_kafka import TopicPartition
from google.protobuf.message import DecodeError
from nephila_contracts import Topic

from nephila_runtime.group_events import Flow, RawRecord
from nephila_runtime.kafka_producer import KafkaOutbox
from nephila_runtime.progress import Progress
from nephila_runtime.service import Record


class KafkaIntake:
    """The Intake of one generation. Filled by `offer`, emptied by `take`."""

    def __init__(
        self, name: str, topic: Topic[Any], progress: dict[int, Progress], flow: Flow
    ) -> None:
        self.name = name
        """The topic's name in the cluster."""
        self.topic = topic
        self.progress = progress
        self._flow = flow
        self._waiting: dict[int, deque[RawRecord]] = {p: deque() for p in sorted(progress)}
        self._order = list(self._waiting)
        self._undecodable: list[tuple[Record[Any], bytes, str]] = []

    def offer(self, raw: RawRecord) -> None:
        self._waiting[raw[1]].append(raw)

    def waits(self) -> bool:
        """Whether something has come in and was not taken yet."""
        return any(self._waiting.values())

    def has_more(self) -> bool:
        return any(
            queue and self.progress[partition].has_room(queue[0][2])
            for partition, queue in self._waiting.items()
        )

    def has_undecodable(self) -> bool:
        return bool(self._undecodable)

    def take(self, limit: int) -> list[Record[Any]]:
        batch: list[Record[Any]] = []
        for partition in self._order:
            queue = self._waiting[partition]
            progress = self.progress[partition]
            while queue and len(batch) < limit and progress.has_room(queue[0][2]):
                raw = queue.popleft()
                self._flow.records_out += 1
                self._flow.bytes_out += len(raw[4] or b"")
                if progress.take(raw[2]):
                    self._decode(raw, batch)
        # The next batch begins with another partition, so that none is starved by a busy one.
        self._order.append(self._order.pop(0))
        return batch

    def _decode(self, raw: RawRecord, batch: list[Record[Any]]) -> None:
        _, partition, offset, raw_key, value = raw
        raw_key = raw_key or b""
        if value is None:
            # A tombstone of a compacted topic carries no message.
            self.progress[partition].finish(offset)
            return
        try:
            record = Record(
                partition, offset, raw_key.decode(), self.topic.message.FromString(value)
            )
        except (DecodeError, UnicodeDecodeError) as error:
            key = raw_key.decode(errors="replace")
            record = Record[Any](partition, offset, key, None)
            self._undecodable.append((record, value, f"not a {self.topic.name}: {error}"))
        else:
            batch.append(record)

    def bury_undecodable(self, outbox: KafkaOutbox, service: str) -> int:
        """Sends what is no message of this topic to the dead letters; answers how many."""
        count = len(self._undecodable)
        for record, value, cause in self._undecodable:
            outbox.append_raw_dead(self.topic, record, value, service, cause)
            self.finish([record])
        self._undecodable.clear()
        return count

    def finish(self, records: Iterable[Record[Any]]) -> None:
        progress = self.progress
        for record in records:
            progress[record.partition].finish(record.offset)

    def commits(self) -> list[TopicPartition]:
        """The offsets that have changed since they were last asked for."""
        changed = [item for item in self.progress.items() if item[1].changed]
        for _, progress in changed:
            progress.changed = False
        return self._commits(changed, released=False)

    def all_commits(self, *, released: bool) -> list[TopicPartition]:
        """Every offset: at the beginning and at the end of a generation."""
        return self._commits(list(self.progress.items()), released=released)

    def one_commit(self) -> list[TopicPartition]:
        """One offset as it stands, to prove that the partitions are held."""
        return self._commits(list(self.progress.items())[:1], released=False)

    def _commits(
        self, items: Sequence[tuple[int, Progress]], *, released: bool
    ) -> list[TopicPartition]:
        return [
            TopicPartition(
                self.name, partition, progress.watermark, progress.metadata(released=released)
            )
            for partition, progress in items
        ]

    def lag(self) -> int:
        """Records in memory, waiting or under way. What is still in the cluster is not counted."""
        waiting = sum(map(len, self._waiting.values()))
        return waiting + sum(p.under_way() for p in self.progress.values())
