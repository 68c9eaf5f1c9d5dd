"""What every store of the frontier promises. SQLite is the first to be held to it."""

from collections.abc import Iterator

import pytest
from frontier_driver import inline
from nephila_runtime.database import Database
from nephila_storage.frontier_store import (
    DueKey,
    FrontierChanges,
    FrontierStore,
    HostRow,
    LeaseRow,
    OriginMark,
    QueuedRow,
    QueuedUrl,
    QueueRead,
    QueueSpan,
    Spent,
)
from nephila_storage.sqlite_frontier_store import SqliteFrontierStore


@pytest.fixture
def store() -> Iterator[FrontierStore]:
    database = Database.in_memory()
    yield SqliteFrontierStore(database)
    database.close()


def queued(position: int, host: int = 1, queue_class: int = 2) -> QueuedRow:
    return QueuedRow(0, host, queue_class, position, f"/{position}?ü", 7, None)


def positions(store: FrontierStore, after: int = -1, limit: int = 100, host: int = 1) -> list[int]:
    (urls,) = inline(store.read([QueueRead(0, host, 2, after, limit)]))
    return [url.position for url in urls]


def test_no_two_get_the_same_epoch(store: FrontierStore) -> None:
    assert [inline(store.raise_epoch(partition)) for partition in (0, 0, 1, 0)] == [1, 2, 1, 3]


def test_a_queue_is_read_forward_from_a_cursor(store: FrontierStore) -> None:
    rows = [queued(position) for position in (30, 10, 20)]
    other = [queued(15, host=2), queued(16, queue_class=3)]
    inline(store.write(FrontierChanges(queued=rows + other)))
    assert positions(store) == [10, 20, 30]
    assert positions(store, after=10) == [20, 30]
    assert positions(store, after=10, limit=1) == [20]
    assert positions(store, host=9) == []


def test_a_queued_url_comes_back_as_it_was(store: FrontierStore) -> None:
    row = QueuedRow(0, 1, 2, 2**60, "/ü?x=%00", 2**40, '"etag"\nTue')
    inline(store.write(FrontierChanges(queued=[row])))
    assert inline(store.read([QueueRead(0, 1, 2, -1, 1)])) == [[QueuedUrl(*row[3:])]]


def test_writing_a_row_twice_changes_nothing(store: FrontierStore) -> None:
    for _ in range(2):
        inline(store.write(FrontierChanges(queued=[queued(1), queued(2)])))
    assert positions(store) == [1, 2]


def test_spent_segments_go_whole(store: FrontierStore) -> None:
    inline(store.write(FrontierChanges(queued=[queued(position) for position in range(10)])))
    inline(store.write(FrontierChanges(spent_segments=[(0, 1, 2, 6)])))
    assert positions(store) == [7, 8, 9]


def test_hosts_come_back_by_partition_with_their_last_words(store: FrontierStore) -> None:
    spans = (QueueSpan(0, -1, 8, 3), QueueSpan(6, 4, 2**50, 1))
    host = HostRow(1, 5, "a.test:81", "a.test", 2000, 130, 2, 3_600_000, "2001:db8::1", spans)
    older = host._replace(failures=0, queues=())
    other = host._replace(partition=2)
    inline(store.write(FrontierChanges(hosts=[older, other])))
    inline(store.write(FrontierChanges(hosts=[host])))
    assert inline(store.hosts(1)) == [host]
    assert inline(store.hosts(3)) == []


def test_closing_a_lease_precedes_opening_the_next(store: FrontierStore) -> None:
    first = LeaseRow(0, 1, 2, 7, 2**40 + 1, 2**40 + 1, 0, 0, True)
    second = LeaseRow(0, 1, 2, 8, 2**40 + 2, 2**41, 1, 3, False)
    inline(store.write(FrontierChanges(leases=[first])))
    inline(store.write(FrontierChanges(leases=[second], closed=[(0, 1, 2)])))
    assert inline(store.leases(0)) == [second]
    inline(store.write(FrontierChanges(closed=[(0, 1, 2)])))
    assert inline(store.leases(0)) == []


def test_origins_spent_and_due_keys_are_kept(store: FrontierStore) -> None:
    marks = [OriginMark(0, "url_discovered", 3, 10, 2), OriginMark(0, "replays", 3, 1, 0)]
    keys = [DueKey(0, 1, True, "/x"), DueKey(0, 1, False, "/x")]
    assert inline(store.spent()) == Spent()
    inline(store.write(FrontierChanges(origins=marks, due=keys[:1], spent=Spent(1, 2, 3))))
    newer = [marks[0]._replace(offset=11)]
    inline(store.write(FrontierChanges(origins=newer, spent=Spent(2, 2, 4))))
    assert sorted(inline(store.origins(0))) == sorted([newer[0], marks[1]])
    assert inline(store.spent()) == Spent(2, 2, 4)
    assert inline(store.due(keys)) == [True, False]
    inline(store.write(FrontierChanges(due_done=keys)))
    assert inline(store.due(keys)) == [False, False]
