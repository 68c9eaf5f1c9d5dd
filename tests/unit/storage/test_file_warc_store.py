"""Pages in WARC files: read by others, found by their keys, cut to what was committed."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import zstandard
from archive_readers import fastwarc_records, warcio_accepts
from captures import BIG, every_kind, response
from hypothesis import given, settings
from hypothesis import strategies as st
from nephila_contracts.v1.page_pb2 import TRUNCATION_LENGTH
from nephila_runtime.database import Database
from nephila_storage.append_file import AppendFileDamaged, sync_inline
from nephila_storage.file_warc_store import FileWarcStore, read_record, sort_indexes
from nephila_storage.page_store import Capture, NothingStored
from nephila_storage.payload import BodyUnreadable, payload_of, unpacked
from parsed_pages import page, warc_store


@pytest.fixture
def database() -> Iterator[Database]:
    database = Database.in_memory()
    yield database
    database.close()


def stored(store: FileWarcStore, *captures: Capture) -> list[str]:
    async def store_all() -> list[str]:
        return [(await store.store(capture)).storage_key for capture in captures]

    return asyncio.run(store_all())


def commit(store: FileWarcStore, database: Database) -> None:
    with database.transaction():
        asyncio.run(store.prepare())


def test_other_readers_accept_every_record(tmp_path: Path, database: Database) -> None:
    store = warc_store(tmp_path, database)
    stored(store, *every_kind())
    commit(store, database)
    store.close()
    path = tmp_path / "warc" / "nephila-00000.warc.gz"
    assert warcio_accepts(path)
    records = list(fastwarc_records(path))
    assert [record.kind for record in records] == [
        *["warcinfo", "response", "request", "response", "request"],
        *["revisit", "request", "revisit", "request"],
        *["metadata", "response", "request", "metadata", "conversion"],
    ]
    assert gzip.decompress(records[1].payload) == b"<p>one</p>"
    assert records[3].payload == BIG
    assert records[-1].payload == "blå".encode()
    ids = [record.fields["WARC-Record-ID"] for record in records]
    assert len(set(ids)) == len(ids)


def test_a_request_names_its_response(tmp_path: Path, database: Database) -> None:
    store = warc_store(tmp_path, database)
    stored(store, response(page("https://a.example/x?y", b"body")))
    commit(store, database)
    store.close()
    _, answer, request = fastwarc_records(tmp_path / "warc" / "nephila-00000.warc.gz")
    assert request.fields["WARC-Concurrent-To"] == answer.fields["WARC-Record-ID"]
    assert answer.fields["WARC-Date"] == "2023-11-14T22:13:21.007Z"
    assert answer.fields["WARC-IP-Address"] == "127.0.0.1"


def test_the_same_capture_makes_the_same_bytes(tmp_path: Path) -> None:
    files: list[bytes] = []
    for run in ("one", "two"):
        database = Database.in_memory()
        store = warc_store(tmp_path / run, database)
        stored(store, *every_kind())
        commit(store, database)
        store.close()
        database.close()
        files.append((tmp_path / run / "warc" / "nephila-00000.warc.gz").read_bytes())
    assert files[0] == files[1]


def test_a_cut_answer_is_marked(tmp_path: Path, database: Database) -> None:
    message = page("https://a.example/", b"begun")
    message.exchange.truncation = TRUNCATION_LENGTH
    message.body.data = message.body.data[:-9]
    store = warc_store(tmp_path, database)
    (key,) = stored(store, response(message))
    read = asyncio.run(store.read(key))
    assert read.fields["WARC-Truncated"] == "length"
    assert read.payload == message.body.data
    commit(store, database)
    store.close()
    assert warcio_accepts(tmp_path / "warc" / "nephila-00000.warc.gz")


def test_a_key_gives_back_what_was_stored(tmp_path: Path, database: Database) -> None:
    store = warc_store(tmp_path, database, file_bytes=5000)
    pages = [
        page(f"https://a.example/{index}", b"%d" % index + BIG, index + 1) for index in range(5)
    ]
    keys = stored(store, *(response(each) for each in pages))
    assert len({key.split(":")[0] for key in keys}) > 1
    read = [asyncio.run(store.read(key)) for key in keys]
    assert [each.payload for each in read] == [each.body.data for each in pages]
    assert [each.fields["WARC-Target-URI"] for each in read] == [each.attempt.url for each in pages]
    digests = [each.fields["WARC-Payload-Digest"] for each in read]
    assert digests == [f"sha256:{sha256(each.body.data).hexdigest()}" for each in pages]
    commit(store, database)
    commit(store, database)
    assert [read_record(tmp_path, key).payload for key in keys] == [each.payload for each in read]
    store.close()


@pytest.mark.parametrize(
    "key",
    [
        "",
        "warc/nephila-00000.warc.gz",
        "warc/nephila-00000.warc.gz:0",
        "warc/nephila-00000.warc.gz:3:9",
        "warc/nephila-00000.warc.gz:999999:9",
        "warc/nephila-00077.warc.gz:0:9",
        "warc/../../etc/passwd:0:9",
        "../nephila-00000.warc.gz:-1:9",
    ],
)
def test_a_key_of_nothing_is_told(tmp_path: Path, database: Database, key: str) -> None:
    store = warc_store(tmp_path, database)
    stored(store, response(page("https://a.example/", b"x")))
    with pytest.raises(NothingStored):
        asyncio.run(store.read(key))
    with pytest.raises(NothingStored):
        read_record(tmp_path, key)
    store.close()


def test_records_of_a_crash_are_cut_in_file_and_index(tmp_path: Path, database: Database) -> None:
    store = warc_store(tmp_path, database)
    stored(store, response(page("https://a.example/kept", b"kept", 1)))
    commit(store, database)
    folder = tmp_path / "warc"
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    stored(store, response(page("https://a.example/lost", b"lost", 2)))
    database.execute("BEGIN")
    asyncio.run(store.prepare())
    database.execute("ROLLBACK")
    store.close()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} != before
    warc_store(tmp_path, database).close()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_files_begun_by_a_crash_are_removed(tmp_path: Path, database: Database) -> None:
    store = warc_store(tmp_path, database, file_bytes=100)
    stored(store, response(page("https://a.example/0", b"0", 1)))
    commit(store, database)
    database.execute("BEGIN")
    stored(store, *(response(page(f"https://a.example/{n}", b"x", n)) for n in (2, 3, 4)))
    asyncio.run(store.prepare())
    database.execute("ROLLBACK")
    store.close()
    store = warc_store(tmp_path, database, file_bytes=100)
    assert sorted(path.name for path in (tmp_path / "warc").iterdir()) == [
        "nephila-00000.cdxj",
        "nephila-00000.warc.gz",
    ]
    stored(store, response(page("https://a.example/5", b"x", 5)))
    commit(store, database)
    commit(store, database)
    store.close()
    for path in (tmp_path / "warc").glob("*.warc.gz"):
        assert warcio_accepts(path)


def test_an_archive_of_another_crawl_is_left_alone(tmp_path: Path, database: Database) -> None:
    (tmp_path / "warc").mkdir()
    (tmp_path / "warc" / "nephila-00000.warc.gz").write_bytes(b"precious")
    with pytest.raises(AppendFileDamaged):
        warc_store(tmp_path, database)


def test_the_index_leads_to_every_record(tmp_path: Path, database: Database) -> None:
    store = warc_store(tmp_path, database, file_bytes=2000)
    stored(store, *every_kind(), *reversed(every_kind()))
    commit(store, database)
    commit(store, database)
    store.close()
    sort_indexes(tmp_path / "warc")
    lines = 0
    for index in (tmp_path / "warc").glob("*.cdxj"):
        content = index.read_bytes().splitlines()
        assert content == sorted(content)
        for line in content:
            _, timestamp, entry = line.decode().split(" ", 2)
            fields = json.loads(entry)
            assert fields["filename"] == index.name.replace(".cdxj", ".warc.gz")
            key = f"warc/{fields['filename']}:{fields['offset']}:{fields['length']}"
            record = read_record(tmp_path, key)
            assert record.fields["WARC-Target-URI"] == fields["url"]
            assert (
                record.fields["WARC-Date"].translate(str.maketrans("", "", "-:T"))[:14] == timestamp
            )
            assert fields["mime"] == (
                "warc/revisit" if record.fields["WARC-Type"] == "revisit" else "text/html"
            )
            lines += 1
    assert lines == 10


def test_sorted_indexes_go_on_growing(tmp_path: Path, database: Database) -> None:
    store = warc_store(tmp_path, database)
    stored(store, *(response(page(f"https://{host}.example/", b"x", 1)) for host in "ba"))
    commit(store, database)
    store.close()
    sort_indexes(tmp_path / "warc")
    store = warc_store(tmp_path, database)
    stored(store, response(page("https://c.example/", b"x", 2)))
    commit(store, database)
    store.close()
    keys = [
        line.split(b" ")[0]
        for line in (tmp_path / "warc" / "nephila-00000.cdxj").read_bytes().splitlines()
    ]
    assert keys == [b"example,a)/", b"example,b)/", b"example,c)/"]


def test_an_index_does_not_outgrow_its_sorting(tmp_path: Path, database: Database) -> None:
    store = FileWarcStore(tmp_path / "warc", database, index_bytes=600, sync=sync_inline)
    hosts = "ihgfedcba"
    stored(store, *(response(page(f"https://{host}.example/", b"x", 1)) for host in hosts))
    commit(store, database)
    commit(store, database)
    store.close()
    indexes = sorted((tmp_path / "warc").glob("*.cdxj"))
    assert len(indexes) > 2
    lines = [path.read_bytes().splitlines(keepends=True) for path in indexes]
    assert sum(map(len, lines)) == len(hosts)
    assert all(held == sorted(held) for held in lines[:-1])
    assert all(sum(map(len, held)) < 600 + max(map(len, held)) for held in lines)


_LINES = st.one_of(
    st.binary(max_size=12).map(lambda line: line.replace(b"\n", b"")),
    st.sampled_from(
        [
            *[b"Content-Length: 9", b"Content-Length : 3", b"Content-Length: -1", b" folded"],
            *[b"Transfer-Encoding: chunked", b"\t", b"\r", b"\xa0", b":", b"no colon"],
        ]
    ),
)
_STATUS_LINES = st.sampled_from(
    [b"HTTP/1.1 200 OK", b"HTTP/1.1 200", b"HTTP/2 200", b"ICY 200 \xe9"]
)


@settings(max_examples=80, deadline=None)
@given(_STATUS_LINES, st.lists(_LINES, max_size=5), st.sampled_from([b"\r\n", b"\n"]))
def test_no_head_hides_or_shifts_its_payload(first: bytes, lines: list[bytes], end: bytes) -> None:
    message = page("https://a.example/", b"the body")
    message.exchange.response_head = end.join([first, *lines, b"", b""])
    database = Database.in_memory()
    with TemporaryDirectory() as folder:
        store = warc_store(Path(folder), database)
        (key,) = stored(store, response(message))
        assert asyncio.run(store.read(key)).payload == message.body.data
        commit(store, database)
        store.close()
        path = Path(folder) / "warc" / "nephila-00000.warc.gz"
        assert warcio_accepts(path)
        assert list(fastwarc_records(path))[1].payload == message.body.data
    database.close()


def test_no_field_of_a_record_can_be_forged(tmp_path: Path, database: Database) -> None:
    capture = replace(
        response(page("https://a.example/", b"x")), mime_type="text/html\r\nWARC-Type: request"
    )
    store = warc_store(tmp_path, database)
    (key,) = stored(store, capture)
    assert asyncio.run(store.read(key)).fields["WARC-Type"] == "response"
    store.close()


def test_a_zstd_body_is_unpacked_whether_it_tells_its_size_or_not() -> None:
    streamed = zstandard.ZstdCompressor().compressobj()
    untold = streamed.compress(BIG) + streamed.flush()
    assert unpacked(untold) == BIG == unpacked(zstandard.compress(BIG))
    assert unpacked(zstandard.compress(b"")) == b""


def test_a_body_that_cannot_be_read_is_told() -> None:
    message = page("https://a.example/", b"x", gzipped=False)
    message.body.data = b"no zstd"
    with pytest.raises(BodyUnreadable):
        payload_of(message.body, "", b"")
    message.body.claim_key = "elsewhere"
    with pytest.raises(BodyUnreadable, match="claim"):
        payload_of(message.body, "", b"")
