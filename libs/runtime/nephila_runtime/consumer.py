"""How far a service has read a topic: a low watermark a partition, with what is finished beyond it."""

from collections.abc import Iterable
from typing import Any

from nephila_runtime.database import Database
from nephila_runtime.embedded_log import TopicLog
from nephila_runtime.service import Record

_DDL = (
    "CREATE TABLE IF NOT EXISTS log_offsets (service TEXT NOT NULL, topic TEXT NOT NULL,"
    " partition INTEGER NOT NULL, next_offset INTEGER NOT NULL, finished TEXT NOT NULL,"
    " PRIMARY KEY (service, topic, partition)) WITHOUT ROWID",
)
# A bitmap of these fits into Kafka's commit metadata (4 KiB); beyond it a reader waits for its slowest
# record.
MOST_FINISHED = 16_384


class Consumer:
    """One service's place in one topic."""

    def __init__(self, database: Database, service: str, log: TopicLog) -> None:
        self._database = database
        self._service = service
        self.log = log
        partitions = range(len(log.ends))
        self.positions = [0 for _ in partitions]
        """By partition: the next offset to take."""
        self.watermarks = [0 for _ in partitions]
        """By partition: all below it is finished."""
        self._finished: list[set[int]] = [set() for _ in partitions]
        self._changed: set[int] = set()
        for partition, watermark, finished in database.rows(
            "SELECT partition, next_offset, finished FROM log_offsets WHERE service = ? AND topic = ?",
            (service, log.topic.name),
        ):
            self.positions[partition] = self.watermarks[partition] = watermark
            self._finished[partition] = {watermark + int(gap) for gap in finished.split()}

    @staticmethod
    def define(database: Database) -> None:
        database.define(_DDL)

    def lag(self) -> int:
        """Committed records not finished yet."""
        return sum(
            end - watermark - len(finished)
            for end, watermark, finished in zip(
                self.log.ends, self.watermarks, self._finished, strict=True
            )
        )

    def has_more(self) -> bool:
        """Whether there is a record to take."""
        return self.positions != self.log.ends

    def take(self, limit: int) -> list[Record[Any]]:
        """The next records over all partitions, in the order of each; those finished earlier left out."""
        batch: list[Record[Any]] = []
        for partition, end in enumerate(self.log.ends):
            while self.positions[partition] < end and len(batch) < limit:
                start = self.positions[partition]
                if start - self.watermarks[partition] >= MOST_FINISHED:
                    break
                taken = self.log.take(partition, start, limit - len(batch))
                if not taken:
                    raise LookupError(
                        f"{self.log.topic.name}[{partition}] has lost offset {start} of {end}"
                    )
                self.positions[partition] = taken[-1].offset + 1
                finished = self._finished[partition]
                batch += [r for r in taken if r.offset not in finished] if finished else taken
        return batch

    def finish(self, records: Iterable[Record[Any]]) -> None:
        """Marks records as done; the watermark moves over what is done without a gap."""
        for record in records:
            partition = record.partition
            self._changed.add(partition)
            if record.offset == self.watermarks[partition] and not self._finished[partition]:
                self.watermarks[partition] += 1
            else:
                self._finished[partition].add(record.offset)
                self._close_gap(partition)

    def _close_gap(self, partition: int) -> None:
        finished = self._finished[partition]
        watermark = self.watermarks[partition]
        while watermark in finished:
            finished.remove(watermark)
            watermark += 1
        self.watermarks[partition] = watermark

    def flush(self) -> None:
        """Writes the offsets into the open transaction."""
        if not self._changed:
            return
        self._database.executemany(
            "INSERT INTO log_offsets VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
            " next_offset = excluded.next_offset, finished = excluded.finished",
            [
                (self._service, self.log.topic.name, p, self.watermarks[p], self._gaps(p))
                for p in sorted(self._changed)
            ],
        )
        self._changed.clear()

    def _gaps(self, partition: int) -> str:
        watermark = self.watermarks[partition]
        return " ".join(str(offset - watermark) for offset in sorted(self._finished[partition]))
