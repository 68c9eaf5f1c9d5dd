"""Each column group of url_state keeps the newest version, and leaves the other groups alone."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

import pytest
from nephila_contracts.v1 import page_pb2, reason_pb2, url_pb2
from nephila_runtime.database import Database
from nephila_storage.sqlite_url_contents import SqliteUrlContents
from nephila_storage.sqlite_url_fetches import SqliteUrlFetches
from nephila_storage.sqlite_url_rows import SqliteUrlRows
from nephila_storage.sqlite_url_state import SqliteUrlAdmissions
from nephila_storage.url_state import Admission, ContentRecord, FetchRecord
from nephila_urls import CanonicalUrl, site_key, url_digest

URL = CanonicalUrl("https://www.example.com/page")
KEY = (site_key(URL), url_digest(URL))


@pytest.fixture
def database() -> Iterator[Database]:
    database = Database.in_memory()
    yield database
    database.close()


def fetch(sequence: int, **changes: object) -> FetchRecord:
    record = FetchRecord(
        *(URL, *KEY, sequence, page_pb2.VERDICT_NEW, reason_pb2.REASON_FETCHED, 200),
        fetched_at_ms=sequence,
        etag=f'"{sequence}"',
        last_modified="then",
    )
    return replace(record, **changes)  # pyright: ignore[reportArgumentType]


def content(sequence: int, **changes: object) -> ContentRecord:
    record = ContentRecord(
        *(URL, *KEY, sequence, sequence * 10, b"h" * 32, b"p" * 32, (1 << 64) - sequence),
        verdict=page_pb2.VERDICT_CHANGED,
        alias_of="https://a.example/",
        storage_key=f"warc/x:{sequence}:1",
        text_key="warc/x:9:9",
        payload_digest=b"d" * 32,
        stored_at_ms=5,
        displaced="https://b.example/",
    )
    return replace(record, **changes)  # pyright: ignore[reportArgumentType]


def admission() -> Admission:
    return Admission(
        *(URL, *KEY, (1, 2, 3), url_pb2.URL_KIND_UNSPECIFIED, 4, 0),
        source=url_pb2.DISCOVERY_SOURCE_LINK,
        source_url="https://www.example.com/",
        first_seen_ms=77,
    )


def test_the_newest_fetch_stands_in_whatever_order_they_come(database: Database) -> None:
    for order in permutations([fetch(1), fetch(2), fetch(3)]):
        database.execute("DROP TABLE IF EXISTS url_state")
        fetches = SqliteUrlFetches(database)
        for record in order:
            asyncio.run(fetches.record([record]))
        row = SqliteUrlRows(database).read_row(URL)
        assert row is not None
        assert row.fetch == fetch(3)


def test_the_newest_content_stands_in_whatever_order_they_come(database: Database) -> None:
    for order in permutations([content(1), content(2), content(3)]):
        database.execute("DROP TABLE IF EXISTS url_state")
        contents = SqliteUrlContents(database)
        asyncio.run(contents.write(list(order)))
        assert asyncio.run(contents.read([KEY])) == {KEY[1]: content(3)}


def test_an_equal_version_is_written_again(database: Database) -> None:
    contents = SqliteUrlContents(database)
    asyncio.run(contents.write([content(1), content(1, alias_of="https://c.example/")]))
    assert asyncio.run(contents.read([KEY]))[KEY[1]].alias_of == "https://c.example/"


def test_validators_are_kept_only_when_asked(database: Database) -> None:
    fetches, rows = SqliteUrlFetches(database), SqliteUrlRows(database)

    def validators(record: FetchRecord) -> tuple[str, str]:
        asyncio.run(fetches.record([record]))
        row = rows.read_row(URL)
        assert row is not None
        assert row.fetch is not None
        return row.fetch.etag, row.fetch.last_modified

    assert validators(fetch(1)) == ('"1"', "then")
    kept = fetch(2, etag="", last_modified="", keep_validators=True)
    assert validators(kept) == ('"1"', "then")
    assert validators(fetch(3, last_modified="", keep_validators=True)) == ('"3"', "then")
    assert validators(fetch(4, etag="", last_modified="")) == ("", "")


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_groups_come_in_any_order_and_leave_each_other_alone(
    database: Database, order: tuple[int, ...]
) -> None:
    admissions = SqliteUrlAdmissions(database)
    fetches, contents = SqliteUrlFetches(database), SqliteUrlContents(database)
    writes = [
        lambda: admissions.admit([admission()]),
        lambda: fetches.record([fetch(1)]),
        lambda: contents.write([content(1)]),
    ]
    for index in order:
        asyncio.run(writes[index]())
    row = SqliteUrlRows(database).read_row(URL)
    assert row is not None
    assert (row.admission, row.fetch, row.content) == (admission(), fetch(1), content(1))


def test_a_group_that_nobody_wrote_is_absent(database: Database) -> None:
    asyncio.run(SqliteUrlAdmissions(database).admit([admission()]))
    row = SqliteUrlRows(database).read_row(URL)
    assert row is not None
    assert row.fetch is None
    assert row.content is None
    assert asyncio.run(SqliteUrlContents(database).read([KEY])) == {}
    assert SqliteUrlRows(database).read_row(CanonicalUrl("https://nowhere.example/")) is None


def test_every_row_is_shown_once(database: Database) -> None:
    urls = [CanonicalUrl(f"https://h{n % 7}.example/{n}") for n in range(1203)]
    fetches = SqliteUrlFetches(database)
    records = [fetch(1, url=url, site_key=site_key(url), digest=url_digest(url)) for url in urls]
    asyncio.run(fetches.record(records))
    shown = [row.fetch.url for row in SqliteUrlRows(database).pages() if row.fetch]
    assert sorted(shown) == sorted(urls)
