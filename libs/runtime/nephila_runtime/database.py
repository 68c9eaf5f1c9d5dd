"""The one SQLite file of an embedded crawl: the log and every store share its connection, so that what
a batch emits, what it writes and how far it has read commit together.

Only the process that holds DIR's lock writes; others open it read-only.
"""

import sqlite3
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# A page of 8 KiB holds a 20 KB body in three; measured against 4 and 16 KiB in tests/bench.
PAGE_BYTES = 8192


class Database:
    """A connection with the pragmas that the embedded host relies on. Use from one thread at a time."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute
        self.executemany = connection.executemany

    @classmethod
    def open(cls, path: Path) -> "Database":
        """Opens or makes the file for its one writer. A commit is on disk before it returns."""
        database = cls._open(path)
        database.execute("PRAGMA synchronous = FULL")
        # A WAL that stands may hold pages that a failed fsync made the kernel forget to write: what
        # follows them in it would be lost with them at a power cut. In the database file they are safe.
        database.execute("PRAGMA wal_checkpoint(PASSIVE)")
        return database

    @classmethod
    def open_for_simulation(cls, path: Path) -> "Database":
        """The same without waiting for the disk: it outlives the process, not a power cut."""
        database = cls._open(path)
        database.execute("PRAGMA synchronous = OFF")
        return database

    @classmethod
    def _open(cls, path: Path) -> "Database":
        connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = WAL")
        # KiB. What is not in it, the operating system has in memory: a read of 3 microseconds.
        connection.execute("PRAGMA cache_size = -32768")
        # A longer WAL lets pages of spent segments be reused before they are ever copied back.
        connection.execute("PRAGMA wal_autocheckpoint = 4000")
        # What a step's savepoint keeps of changed pages stays in memory: in a file it was 20 writes a
        # page crawled, and more the larger the state.
        connection.execute("PRAGMA temp_store = MEMORY")
        # Debian's SQLite overwrites what is deleted with zeros: each segment of the log written twice.
        connection.execute("PRAGMA secure_delete = OFF")
        return cls(connection)

    @classmethod
    def open_read_only(cls, path: Path) -> "Database":
        """Opens an existing file to look at it, also while a crawl is writing."""
        uri = f"{path.absolute().as_uri()}?mode=ro"
        return cls(sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False))

    @classmethod
    def in_memory(cls) -> "Database":
        """For tests and simulation: gone with the process."""
        return cls(sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False))

    def define(self, statements: Iterable[str]) -> None:
        """Makes tables and indexes that are not there yet."""
        for statement in statements:
            self.execute(statement)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self.execute(sql, parameters).fetchall()

    def row(self, sql: str, parameters: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        return self.execute(sql, parameters).fetchone()

    @contextmanager
    def transaction(self) -> Generator[None]:
        """One transaction; undone when the block raises."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:
                self.execute("ROLLBACK")
            raise
        self.execute("COMMIT")

    def close(self) -> None:
        self.connection.close()


class Savepoint:
    """Undoes part of the open transaction (the Undo of the embedded host)."""

    def __init__(self, database: Database, name: str) -> None:
        self._database = database
        self._name = name

    def begin(self) -> None:
        self._database.execute(f"SAVEPOINT {self._name}")

    def undo(self) -> None:
        self._database.execute(f"ROLLBACK TO {self._name}")

    def end(self) -> None:
        self._database.execute(f"RELEASE {self._name}")
