"""What the one SQLite file costs beside the rows themselves: nothing that grows with a crawl."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from nephila_runtime.database import Database

_ROWS = [(number, bytes(1000)) for number in range(4_000)]


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database.open_for_simulation(tmp_path / "state.sqlite")
    database.define(["CREATE TABLE held (number INTEGER PRIMARY KEY, value BLOB)"])
    with database.transaction():
        database.executemany("INSERT INTO held VALUES (?, ?)", _ROWS)
    yield database
    database.close()


def test_a_savepoint_writes_no_file(database: Database) -> None:
    """In a file it is a write for each page that a step changes, and one before it to make the file."""
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("open files are listed on Linux alone")
    before = set(os.listdir(descriptors))
    with database.transaction():
        database.execute("SAVEPOINT step")
        database.execute("UPDATE held SET value = x'00'")
        database.execute("ROLLBACK TO step")
        database.execute("UPDATE held SET value = x'01' WHERE number < 10")
        assert set(os.listdir(descriptors)) == before
        database.execute("RELEASE step")
    assert database.row("SELECT count(*) FROM held WHERE value = x'01'") == (10,)


def test_what_is_dropped_is_not_written_again(database: Database, tmp_path: Path) -> None:
    database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with database.transaction():
        database.execute("DROP TABLE held")
    dropped = sum(len(value) for _, value in _ROWS)
    assert (tmp_path / "state.sqlite-wal").stat().st_size < dropped / 20
