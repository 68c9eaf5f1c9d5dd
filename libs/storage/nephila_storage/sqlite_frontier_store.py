"""The frontier's store on SQLite.

frontier_queue is clustered by (partition, host, class, position): a queue's segments lie side by side,
are read forward from a cursor, and go in one range when they are spent. A row is its path and about
20 bytes.
"""

from collections.abc import Sequence

import msgspec
from nephila_runtime.database import Database

from nephila_storage.frontier_store import (
    DueKey,
    FrontierChanges,
    HostRow,
    LeaseRow,
    OriginMark,
    QueuedUrl,
    QueueRead,
    QueueSpan,
    Spent,
)

_TABLES = (
    """CREATE TABLE IF NOT EXISTS frontier_queue (
      partition INTEGER, host INTEGER, class INTEGER, position INTEGER,
      path TEXT NOT NULL, traits INTEGER NOT NULL, validators TEXT,
      PRIMARY KEY (partition, host, class, position)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS frontier_host (
      partition INTEGER, number INTEGER, name TEXT NOT NULL, site_key TEXT NOT NULL,
      crawl_delay_ms INTEGER NOT NULL, response_ms INTEGER NOT NULL, failures INTEGER NOT NULL,
      wait_ms INTEGER NOT NULL, ip TEXT NOT NULL, queues BLOB NOT NULL,
      PRIMARY KEY (partition, number)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS frontier_lease (
      partition INTEGER, host INTEGER, class INTEGER, position INTEGER NOT NULL,
      attempt INTEGER NOT NULL, sequence INTEGER NOT NULL, tries INTEGER NOT NULL,
      back_offs INTEGER NOT NULL, out INTEGER NOT NULL,
      PRIMARY KEY (partition, host, class)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS frontier_due (
      partition INTEGER, host INTEGER, secure INTEGER, path TEXT,
      PRIMARY KEY (partition, host, secure, path)) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS frontier_origin (
      partition INTEGER, topic TEXT, origin_partition INTEGER,
      offset INTEGER NOT NULL, link INTEGER NOT NULL,
      PRIMARY KEY (partition, topic, origin_partition)) WITHOUT ROWID""",
    "CREATE TABLE IF NOT EXISTS frontier_epoch (partition INTEGER PRIMARY KEY, epoch INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS frontier_spent (
      id INTEGER PRIMARY KEY, pages INTEGER NOT NULL, body_bytes INTEGER NOT NULL,
      milliseconds INTEGER NOT NULL)""",
)

_RAISE_EPOCH = """
INSERT INTO frontier_epoch VALUES (?, 1)
ON CONFLICT (partition) DO UPDATE SET epoch = epoch + 1 RETURNING epoch
"""
_READ = """
SELECT position, path, traits, validators FROM frontier_queue
WHERE partition = ? AND host = ? AND class = ? AND position > ? ORDER BY position LIMIT ?
"""
_DUE = "SELECT 1 FROM frontier_due WHERE partition = ? AND host = ? AND secure = ? AND path = ?"
_FORGET_DUE = (
    "DELETE FROM frontier_due WHERE partition = ? AND host = ? AND secure = ? AND path = ?"
)
_CLOSE = "DELETE FROM frontier_lease WHERE partition = ? AND host = ? AND class = ?"
_DROP = """
DELETE FROM frontier_queue WHERE partition = ? AND host = ? AND class = ? AND position <= ?
"""

_pack = msgspec.msgpack.Encoder().encode
_unpack = msgspec.msgpack.Decoder(tuple[QueueSpan, ...]).decode


class SqliteFrontierStore:
    """A `FrontierStore` in the crawl's database."""

    def __init__(self, database: Database) -> None:
        database.define(_TABLES)
        self._database = database

    async def raise_epoch(self, partition: int) -> int:
        row = self._database.row(_RAISE_EPOCH, (partition,))
        assert row is not None
        return row[0]

    async def hosts(self, partition: int) -> list[HostRow]:
        rows = self._database.execute(
            "SELECT * FROM frontier_host WHERE partition = ?", (partition,)
        )
        return [HostRow._make((*row[:9], _unpack(row[9]))) for row in rows]

    async def leases(self, partition: int) -> list[LeaseRow]:
        rows = self._database.execute(
            "SELECT * FROM frontier_lease WHERE partition = ?", (partition,)
        )
        return [LeaseRow._make((*row[:8], bool(row[8]))) for row in rows]

    async def origins(self, partition: int) -> list[OriginMark]:
        rows = self._database.execute(
            "SELECT * FROM frontier_origin WHERE partition = ?", (partition,)
        )
        return [OriginMark(*row) for row in rows]

    async def spent(self) -> Spent:
        row = self._database.row("SELECT pages, body_bytes, milliseconds FROM frontier_spent")
        return Spent(*row) if row else Spent()

    async def read(self, reads: Sequence[QueueRead]) -> list[list[QueuedUrl]]:
        make = QueuedUrl._make
        return [[make(row) for row in self._database.execute(_READ, read)] for read in reads]

    async def due(self, keys: Sequence[DueKey]) -> list[bool]:
        return [self._database.row(_DUE, key) is not None for key in keys]

    async def write(self, changes: FrontierChanges) -> None:
        many = self._database.executemany
        if changes.queued:
            many("INSERT OR REPLACE INTO frontier_queue VALUES (?,?,?,?,?,?,?)", changes.queued)
        if changes.closed:
            many(_CLOSE, changes.closed)
        if changes.leases:
            many("INSERT OR REPLACE INTO frontier_lease VALUES (?,?,?,?,?,?,?,?,?)", changes.leases)
        if changes.spent_segments:
            many(_DROP, changes.spent_segments)
        if changes.hosts:
            many(
                "INSERT OR REPLACE INTO frontier_host VALUES (?,?,?,?,?,?,?,?,?,?)",
                [(*host[:9], _pack(host.queues)) for host in changes.hosts],
            )
        self._write_rare(changes)

    def _write_rare(self, changes: FrontierChanges) -> None:
        many = self._database.executemany
        if changes.due_done:
            many(_FORGET_DUE, changes.due_done)
        if changes.due:
            many("INSERT OR REPLACE INTO frontier_due VALUES (?,?,?,?)", changes.due)
        if changes.origins:
            many("INSERT OR REPLACE INTO frontier_origin VALUES (?,?,?,?,?)", changes.origins)
        if changes.spent is not None:
            sql = "INSERT OR REPLACE INTO frontier_spent VALUES (0, ?, ?, ?)"
            self._database.execute(sql, changes.spent)
