"""The embedded log on disk: a table a segment, dropped whole when every reader is past it.

A record's row id is its partition and offset packed into one integer, so that a segment is read by
partition in order without an index beside it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from nephila_runtime.database import Database

_OFFSET_BITS = 44
_OFFSET_MASK = (1 << _OFFSET_BITS) - 1

_DDL = (
    "CREATE TABLE IF NOT EXISTS log_segments (topic TEXT NOT NULL, segment INTEGER NOT NULL,"
    " bytes INTEGER NOT NULL, PRIMARY KEY (topic, segment)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS log_ends (topic TEXT NOT NULL, partition INTEGER NOT NULL,"
    " next_offset INTEGER NOT NULL, PRIMARY KEY (topic, partition)) WITHOUT ROWID",
)

Row = tuple[int, int, str, bytes]
"""(partition, offset, key, value)"""


@dataclass
class _Segment:
    number: int
    table: str
    bytes: int = 0
    ends: dict[int, int] = field(default_factory=dict[int, int])
    """By partition: one past the last offset held."""


class TopicSegments:
    """The segments of one topic, oldest first; the last one is written to."""

    def __init__(self, database: Database, topic: str, segment_bytes: int) -> None:
        self._database = database
        self._topic = topic
        self._segment_bytes = segment_bytes
        self._segments: list[_Segment] = []
        for number, size in database.rows(
            "SELECT segment, bytes FROM log_segments WHERE topic = ? ORDER BY segment", (topic,)
        ):
            segment = _Segment(number, self._table(number), size)
            for partition, last in database.rows(
                f"SELECT position >> {_OFFSET_BITS}, max(position) FROM {segment.table} GROUP BY 1"
            ):
                segment.ends[partition] = (last & _OFFSET_MASK) + 1
            self._segments.append(segment)

    @staticmethod
    def define(database: Database) -> None:
        database.define(_DDL)

    def _table(self, number: int) -> str:
        return f"log_{self._topic}_{number}"

    def ends(self) -> dict[int, int]:
        """By partition: the next offset to be given out."""
        return dict(
            self._database.rows(
                "SELECT partition, next_offset FROM log_ends WHERE topic = ?", (self._topic,)
            )
        )

    def write(self, rows: Sequence[Row], ends: Iterable[tuple[int, int]]) -> None:
        """Appends rows and records the new (partition, end) pairs, inside the open transaction."""
        segment = self._writable()
        self._database.executemany(
            f"INSERT INTO {segment.table} VALUES (?, ?, ?)",
            [
                (partition << _OFFSET_BITS | offset, key, value)
                for partition, offset, key, value in rows
            ],
        )
        for partition, end in ends:
            segment.ends[partition] = end
            self._database.execute(
                "INSERT INTO log_ends VALUES (?, ?, ?)"
                " ON CONFLICT DO UPDATE SET next_offset = excluded.next_offset",
                (self._topic, partition, end),
            )
        segment.bytes += sum(len(row[3]) for row in rows)
        self._database.execute(
            "UPDATE log_segments SET bytes = ? WHERE topic = ? AND segment = ?",
            (segment.bytes, self._topic, segment.number),
        )

    def _writable(self) -> _Segment:
        if self._segments and self._segments[-1].bytes < self._segment_bytes:
            return self._segments[-1]
        number = self._segments[-1].number + 1 if self._segments else 0
        segment = _Segment(number, self._table(number))
        self._database.execute(
            f"CREATE TABLE {segment.table}"
            " (position INTEGER PRIMARY KEY, key TEXT NOT NULL, value BLOB NOT NULL)"
        )
        self._database.execute("INSERT INTO log_segments VALUES (?, ?, 0)", (self._topic, number))
        self._segments.append(segment)
        return segment

    def read(self, partition: int, start: int, limit: int) -> list[Row]:
        """Up to `limit` rows of a partition from offset `start` on, in order."""
        rows: list[Row] = []
        base = partition << _OFFSET_BITS
        for segment in self._segments:
            if segment.ends.get(partition, 0) <= start or len(rows) >= limit:
                continue
            rows += [
                (partition, position & _OFFSET_MASK, key, value)
                for position, key, value in self._database.execute(
                    f"SELECT position, key, value FROM {segment.table}"
                    " WHERE position >= ? AND position < ? ORDER BY position LIMIT ?",
                    (base | start, base + (1 << _OFFSET_BITS), limit - len(rows)),
                )
            ]
        return rows

    def drop_spent(self, read_through: Sequence[int]) -> int:
        """Drops leading segments whose every record lies below its partition's `read_through` offset.

        The last segment stays: it is written to. Answers how many were dropped.
        """
        dropped = 0
        while len(self._segments) > 1 and all(
            end <= read_through[partition] for partition, end in self._segments[0].ends.items()
        ):
            segment = self._segments.pop(0)
            self._database.execute(f"DROP TABLE {segment.table}")
            self._database.execute(
                "DELETE FROM log_segments WHERE topic = ? AND segment = ?",
                (self._topic, segment.number),
            )
            dropped += 1
        return dropped
