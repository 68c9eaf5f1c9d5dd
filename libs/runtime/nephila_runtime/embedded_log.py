"""The embedded log: ordered partitions, consumer offsets, atomic publish-and-commit, trimming.

What is appended gets its offset at once, but no reader sees it before the transaction has committed.
Records stay in memory from then until every reader has passed them, up to a bound, so that in a
steady run nothing is read back from disk; after a start, or for a slow reader, they are.
"""

from collections.abc import Sequence
from typing import Any

from nephila_contracts import Topic
from nephila_contracts.v1.control_pb2 import DeadLetter

from nephila_runtime.database import Database
from nephila_runtime.log_segments import Row, TopicSegments
from nephila_runtime.partitioner import partition_of
from nephila_runtime.service import Emit, Record

SEGMENT_BYTES = 8 * 1024 * 1024
# Records held in memory over all topics; beyond it readers go to disk.
TAIL_BYTES = 64 * 1024 * 1024


class _Tail:
    """The committed records of one partition that are still in memory: offsets from `start` on."""

    __slots__ = ("records", "sizes", "start")

    def __init__(self, start: int) -> None:
        self.start = start
        self.records: list[Record[Any]] = []
        self.sizes: list[int] = []

    def forget(self, before: int) -> int:
        """Forgets records below an offset; answers the bytes set free."""
        count = min(before - self.start, len(self.records))
        if count <= 0:
            return 0
        freed = sum(self.sizes[:count])
        del self.records[:count]
        del self.sizes[:count]
        self.start += count
        return freed


class TopicLog:
    """One topic of the log. `kept` topics are never trimmed (dead letters, or a test's)."""

    def __init__(
        self, database: Database, topic: Topic[Any], partitions: int, segment_bytes: int, kept: bool
    ) -> None:
        self.topic = topic
        self.kept = kept
        self._partitions = partitions
        self._segments = TopicSegments(database, topic.name, segment_bytes)
        ends = self._segments.ends()
        self._staged_ends = [ends.get(partition, 0) for partition in range(partitions)]
        self.ends = list(self._staged_ends)
        """By partition: one past the last committed offset."""
        self.held = 0
        """Bytes in memory."""
        self._tails = [_Tail(end) for end in self.ends]
        self._staged: list[tuple[Record[Any], bytes]] = []

    def append(self, key: str, message: Any) -> int:
        """Stages a message; answers the size of its encoding in bytes."""
        value = message.SerializeToString()
        partition = partition_of(key, self._partitions)
        offset = self._staged_ends[partition]
        self._staged_ends[partition] = offset + 1
        self._staged.append((Record(partition, offset, key, message), value))
        return len(value)

    def flush(self) -> None:
        """Writes what was staged into the open transaction."""
        if not self._staged:
            return
        rows: list[Row] = [(r.partition, r.offset, r.key, value) for r, value in self._staged]
        changed = sorted({row[0] for row in rows})
        self._segments.write(rows, [(p, self._staged_ends[p]) for p in changed])

    def committed(self) -> None:
        """Shows what was staged to the readers."""
        for record, value in self._staged:
            tail = self._tails[record.partition]
            tail.records.append(record)
            tail.sizes.append(len(value))
            self.held += len(value)
            self.ends[record.partition] = record.offset + 1
        self._staged = []

    def take(self, partition: int, start: int, limit: int) -> list[Record[Any]]:
        """Committed records of a partition from `start` on, in order."""
        tail = self._tails[partition]
        if start >= tail.start:
            return tail.records[start - tail.start : start - tail.start + limit]
        upto = min(limit, tail.start - start)
        return [
            Record(partition, offset, key, self.topic.message.FromString(value))
            for partition, offset, key, value in self._segments.read(partition, start, upto)
        ]

    def forget(self, read_through: Sequence[int]) -> None:
        """Lets go of memory below each partition's offset."""
        for tail, offset in zip(self._tails, read_through, strict=True):
            if tail.start < offset:
                self.held -= tail.forget(offset)

    def forget_all(self) -> None:
        self.forget(self.ends)

    def trim(self, read_through: Sequence[int]) -> int:
        """Drops spent segments inside the open transaction; answers how many."""
        return 0 if self.kept else self._segments.drop_spent(read_through)


class EmbeddedLog:
    """All topics. `topics` are those that somebody reads; what is emitted to another one is not kept."""

    def __init__(
        self,
        database: Database,
        topics: Sequence[Topic[Any]],
        *,
        partitions: int,
        kept: Sequence[Topic[Any]] = (),
        segment_bytes: int = SEGMENT_BYTES,
        tail_bytes: int = TAIL_BYTES,
    ) -> None:
        TopicSegments.define(database)
        self.partitions = partitions
        self._database = database
        self._tail_bytes = tail_bytes
        names = {topic.name for topic in kept}
        self._logs: dict[str, TopicLog] = {
            topic.name: TopicLog(database, topic, partitions, segment_bytes, topic.name in names)
            for topic in {t.name: t for t in [*topics, *kept]}.values()
        }
        self._dead: dict[str, TopicLog] = {}
        self._segment_bytes = segment_bytes

    def topic(self, name: str) -> TopicLog:
        return self._logs[name]

    def ends(self) -> dict[tuple[str, int], int]:
        """By topic name and partition: one past the last committed offset."""
        return {
            (name, partition): end
            for name, log in self._logs.items()
            for partition, end in enumerate(log.ends)
        }

    def append(self, emits: Sequence[Emit[Any]]) -> None:
        """Stages messages in the order given."""
        logs = self._logs
        for emit in emits:
            log = logs.get(emit.topic.name)
            if log is not None:
                log.append(emit.key, emit.message)

    def append_dead(self, topic: Topic[Any], record: Record[Any], service: str, cause: str) -> None:
        """Stages a dead letter, kept until an operator deals with it."""
        log = self._dead.get(topic.name)
        if log is None:
            dead = Topic(topic.dead_letter_name, DeadLetter)
            log = TopicLog(self._database, dead, self.partitions, self._segment_bytes, kept=True)
            self._dead[topic.name] = log
        letter = DeadLetter(
            topic=topic.name,
            partition=record.partition,
            offset=record.offset,
            key=record.key,
            value=record.message.SerializeToString(),
            service=service,
            cause=cause,
        )
        log.append(record.key, letter)

    def flush(self) -> None:
        for log in (*self._logs.values(), *self._dead.values()):
            log.flush()

    def committed(self) -> None:
        """Shows what was flushed to the readers, once it is committed."""
        for log in self._logs.values():
            log.committed()
        for log in self._dead.values():
            log.committed()
            log.forget_all()

    def held(self) -> list[TopicLog]:
        """Topics with records in memory."""
        return [log for log in self._logs.values() if log.held]

    def keep_within_bound(self) -> None:
        """Lets go of everything in memory when it is too much: slow readers go to disk."""
        if sum(log.held for log in self._logs.values()) > self._tail_bytes:
            for log in self._logs.values():
                log.forget_all()
