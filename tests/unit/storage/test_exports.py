"""The files for others hold what was told, in the public schema."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError
from nephila_contracts.v1 import page_pb2
from nephila_contracts.v1.links_pb2 import PageLinks
from nephila_contracts.v1.page_pb2 import Directives, PageFetched
from nephila_runtime import Record
from nephila_runtime.database import Database
from nephila_storage.append_file import AppendFile, sync_inline
from nephila_storage.line_export import LineExport
from nephila_storage.link_export import link_line
from nephila_storage.page_export import page_line

SCHEMA = json.loads((Path(__file__).parents[3] / "docs" / "page_fetched.schema.json").read_text())
VALIDATOR = Draft202012Validator(SCHEMA, format_checker=Draft202012Validator.FORMAT_CHECKER)

_texts = st.text(max_size=30)
_urls = st.integers(0, 999).map(lambda n: f"https://a.example/{n}?q=%C3%A9")
_keys = st.sampled_from(["", "warc/nephila-00000.warc.gz:12:345"])


@st.composite
def events(draw: st.DrawFn) -> PageFetched:
    verdict = draw(
        st.sampled_from(
            [page_pb2.VERDICT_NEW, page_pb2.VERDICT_CHANGED, page_pb2.VERDICT_ALIAS, page_pb2.VERDICT_GONE]
        )
    )  # fmt: skip
    return PageFetched(
        url=draw(_urls),
        canonical_url=draw(_urls),
        fetched_at_unix_ms=draw(st.integers(0, 4_000_000_000_000)),
        http_status=draw(st.sampled_from([200, 301, 404])),
        content_hash=draw(st.sampled_from(["", "0f" * 32])),
        simhash=draw(st.sampled_from(["", "0f" * 8])),
        storage_key=draw(_keys),
        out_links=draw(st.lists(_urls, max_size=4)),
        attempt_id="3.17",
        verdict=verdict,
        title=draw(_texts),
        description=draw(_texts),
        language=draw(_texts),
        mime_type="text/html",
        directives=Directives(noindex=draw(st.booleans())),
        duplicate_of=draw(st.one_of(st.just(""), _urls)),
        text_zstd=zstandard.compress(draw(_texts).encode()),
        text_key=draw(_keys),
        depth=draw(st.integers(0, 99)),
    )


@given(events())
def test_every_line_is_of_the_public_schema(event: PageFetched) -> None:
    line = page_line(event)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    told = json.loads(line)
    VALIDATOR.validate(told)
    assert set(told) == set(SCHEMA["properties"])
    assert told["title"] == event.title
    assert told["text"] == zstandard.decompress(event.text_zstd).decode()
    assert told["out_links"] == list(event.out_links)
    assert told["directives"]["noindex"] == event.directives.noindex


def test_the_schema_refuses_what_it_must() -> None:
    told: dict[str, Any] = json.loads(
        page_line(
            PageFetched(
                url="https://a.example/",
                canonical_url="https://a.example/",
                http_status=200,
                attempt_id="1.1",
                verdict=page_pb2.VERDICT_NEW,
            )
        )
    )
    VALIDATOR.validate(told)
    for field, value in [
        ("verdict", "unchanged"),
        ("url", "ftp://a.example/"),
        ("fetched_at", "yesterday"),
        ("content_hash", "ABC"),
        ("out_links", ["/relative"]),
    ]:
        with pytest.raises(ValidationError):
            VALIDATOR.validate(told | {field: value})


def test_a_page_without_text_has_an_empty_one() -> None:
    event = PageFetched(url="https://a.example/", verdict=page_pb2.VERDICT_GONE)
    assert json.loads(page_line(event))["text"] == ""


def test_links_are_one_line_a_page() -> None:
    links = PageLinks(
        source_url="https://a.example/",
        sequence=9,
        target_urls=["https://b.example/", "https://c.example/"],
        anchors=["b\nb", ""],
        rels=["nofollow", ""],
    )
    line = link_line(links)
    assert line.count(b"\n") == 1
    assert json.loads(line) == {
        "source": "https://a.example/",
        "sequence": 9,
        "targets": [
            {"url": "https://b.example/", "anchor": "b\nb", "rel": "nofollow"},
            {"url": "https://c.example/", "anchor": "", "rel": ""},
        ],
    }


def test_links_without_texts_have_empty_ones() -> None:
    links = PageLinks(source_url="https://a.example/", target_urls=["https://b.example/"])
    (target,) = json.loads(link_line(links))["targets"]
    assert target == {"url": "https://b.example/", "anchor": "", "rel": ""}


def test_an_export_writes_its_messages_in_order(tmp_path: Path) -> None:
    database = Database.in_memory()
    file = AppendFile(tmp_path / "links.ndjson", "links.ndjson", database, sync_inline)
    export = LineExport(file, link_line)
    messages = [PageLinks(source_url=f"https://a.example/{n}") for n in range(3)]
    batch = [Record(0, n, "a.example", message) for n, message in enumerate(messages)]

    async def run() -> None:
        await export.handle(batch)
        await file.prepare()

    asyncio.run(run())
    file.close()
    database.close()
    lines = (tmp_path / "links.ndjson").read_bytes().splitlines(keepends=True)
    assert lines == [link_line(message) for message in messages]
