"""How long nobody crawled, by a clock that nobody sets."""

from collections.abc import Generator

import pytest
from nephila_runtime.database import Database
from nephila_storage.sqlite_last_end import SqliteLastEnd


@pytest.fixture
def last_end() -> Generator[SqliteLastEnd]:
    database = Database.in_memory()
    yield SqliteLastEnd(database)
    database.close()


def test_the_time_between_two_runs_is_told_once(last_end: SqliteLastEnd) -> None:
    last_end.note("boot", 100.0)
    assert last_end.take("boot", 160.0) == 60.0
    assert last_end.take("boot", 170.0) == 0.0


def test_after_another_boot_only_the_time_since_it_is_sure(last_end: SqliteLastEnd) -> None:
    last_end.note("boot", 90_000.0)
    assert last_end.take("another", 25.0) == 25.0


def test_what_is_not_known_is_nothing(last_end: SqliteLastEnd) -> None:
    assert last_end.take("boot", 50.0) == 0.0
    last_end.note("", 10.0)
    assert last_end.take("", 50.0) == 0.0
    last_end.note("boot", 60.0)
    assert last_end.take("boot", 50.0) == 0.0
