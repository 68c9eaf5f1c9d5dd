"""A file that only grows shows what was committed, and nothing else."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nephila_runtime.database import Database
from nephila_storage.append_file import BUFFER_BYTES, AppendFile, AppendFileDamaged, sync_inline


@pytest.fixture
def database() -> Iterator[Database]:
    database = Database.in_memory()
    yield database
    database.close()


def opened(path: Path, database: Database) -> AppendFile:
    return AppendFile(path, "lines", database, sync_inline)


def committed(file: AppendFile, database: Database) -> None:
    with database.transaction():
        asyncio.run(file.prepare())


def test_what_was_not_committed_is_cut_at_open(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "lines"
    file = opened(path, database)
    file.append(b"kept\n")
    committed(file, database)
    file.append(b"lost\n")
    file.flush()
    file.close()
    assert path.read_bytes() == b"kept\nlost\n"
    opened(path, database).close()
    assert path.read_bytes() == b"kept\n"


def test_a_rolled_back_commit_leaves_nothing_behind(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "lines"
    file = opened(path, database)

    async def fail() -> None:
        with database.transaction():
            file.append(b"lost\n")
            await file.prepare()
            raise InterruptedError

    with pytest.raises(InterruptedError):
        asyncio.run(fail())
    file.close()
    opened(path, database).close()
    assert path.read_bytes() == b""


def test_a_file_shorter_than_committed_is_told_in_one_line(
    tmp_path: Path, database: Database
) -> None:
    path = tmp_path / "lines"
    file = opened(path, database)
    file.append(b"0123456789")
    committed(file, database)
    file.close()
    path.write_bytes(b"0123")
    with pytest.raises(AppendFileDamaged, match="has 4 bytes where 10 were committed") as told:
        opened(path, database)
    assert "\n" not in str(told.value)


def test_a_file_that_vanished_is_told(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "lines"
    file = opened(path, database)
    file.append(b"x")
    committed(file, database)
    file.close()
    path.unlink()
    with pytest.raises(AppendFileDamaged):
        opened(path, database)


def test_a_file_of_somebody_else_is_never_cut(tmp_path: Path, database: Database) -> None:
    path = tmp_path / "lines"
    path.write_bytes(b"precious")
    with pytest.raises(AppendFileDamaged, match="not of this crawl"):
        opened(path, database)
    assert path.read_bytes() == b"precious"


def test_nothing_appended_writes_nothing(tmp_path: Path, database: Database) -> None:
    file = opened(tmp_path / "lines", database)
    changes = database.connection.total_changes
    synced: list[int] = []

    async def sync(descriptor: int) -> None:
        synced.append(descriptor)

    file.close()
    file = AppendFile(tmp_path / "lines", "lines", database, sync)
    asyncio.run(file.prepare())
    assert database.connection.total_changes == changes
    assert synced == []
    file.append(b"x")
    asyncio.run(file.prepare())
    asyncio.run(file.prepare())
    assert len(synced) == 1
    file.close()


def test_much_is_written_before_it_is_prepared(tmp_path: Path, database: Database) -> None:
    file = opened(tmp_path / "lines", database)
    file.append(b"x" * BUFFER_BYTES)
    assert (tmp_path / "lines").stat().st_size == BUFFER_BYTES
    file.close()


@given(st.lists(st.binary(max_size=40), max_size=30), st.randoms(use_true_random=False))
def test_every_append_is_read_where_it_was_put(chunks: list[bytes], random: Random) -> None:
    database = Database.in_memory()
    with TemporaryDirectory() as folder:
        file = opened(Path(folder) / "lines", database)
        places = [(file.append(chunk), chunk) for chunk in chunks]
        random.shuffle(places)
        assert [file.read(offset, len(chunk)) for offset, chunk in places] == [
            chunk for _, chunk in places
        ]
        file.close()
    database.close()
