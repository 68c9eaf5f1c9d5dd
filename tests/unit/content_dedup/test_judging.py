"""What content_dedup tells and keeps, attempt by attempt."""

import asyncio
import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard
from archive_readers import ReadRecord, fastwarc_records, warcio_accepts
from judging import Judging
from nephila_content_dedup import ContentDedupSettings
from nephila_contracts.v1 import page_pb2, reason_pb2, url_pb2
from nephila_contracts.v1.page_pb2 import PageParsed
from nephila_runtime import Poison
from nephila_storage.file_warc_store import read_record
from nephila_storage.fingerprints import PageFingerprint
from nephila_storage.sqlite_fingerprints import SqliteFingerprints
from nephila_telemetry.prometheus_recorder import PrometheusRecorder
from nephila_urls import CanonicalUrl
from parsed_pages import FIRST_MS, answered, page, unanswered

A, B = "https://a.example/page", "https://a.example/pages/two"
FAR = "https://far.example/"
SIMHASH = 0x0123456789ABCDEF


@pytest.fixture
def judging(tmp_path: Path) -> Iterator[Judging]:
    judging = Judging(tmp_path)
    yield judging
    judging.close()


def verdicts(judging: Judging, *messages: PageParsed) -> list[str]:
    told, _ = judging.judge(*messages)
    return [page_pb2.Verdict.Name(each.verdict).removeprefix("VERDICT_") for each in told]


def archived(judging: Judging) -> list[ReadRecord]:
    assert warcio_accepts(judging.warc)
    return [
        record
        for record in fastwarc_records(judging.warc)
        if record.kind not in ("warcinfo", "request")
    ]


def test_a_new_page_is_told_and_stored(judging: Judging) -> None:
    message = page(A, b"<p>hello</p>", simhash=SIMHASH)
    message.canonical_url = "https://a.example/declared"
    (told,), (event,) = judging.judge(message)
    assert told.verdict == event.verdict == page_pb2.VERDICT_NEW
    assert told.etag == '"v1"'
    assert event.canonical_url == "https://a.example/declared"
    assert event.content_hash == message.content_hash.hex()
    assert event.simhash == "0123456789abcdef"
    assert event.duplicate_of == ""
    assert zstandard.decompress(event.text_zstd).startswith(b"the text of")
    assert list(event.out_links) == list(message.out_links)
    record = read_record(judging.folder, event.storage_key)
    assert gzip.decompress(record.payload) == b"<p>hello</p>"


def test_a_canonical_declared_for_another_site_is_not_taken(judging: Judging) -> None:
    message = page(A, b"x")
    message.canonical_url = "https://far.example/stolen"
    _, (event,) = judging.judge(message)
    assert event.canonical_url == A


def test_unchanged_content_is_a_revisit_and_no_event(judging: Judging) -> None:
    judging.judge(page(A, b"x", 1))
    (told,), events = judging.judge(page(A, b"x", 2))
    assert told.verdict == page_pb2.VERDICT_UNCHANGED
    assert events == []
    response, revisit = archived(judging)
    assert revisit.kind == "revisit"
    assert revisit.fields["WARC-Refers-To-Target-URI"] == A
    assert revisit.fields["WARC-Refers-To-Date"] == response.fields["WARC-Date"]
    assert revisit.fields["WARC-Payload-Digest"] == response.fields["WARC-Payload-Digest"]
    assert revisit.payload == b""
    row = judging.row(A)
    assert row is not None
    assert row.storage_key == told.storage_key
    assert row.stored_at_ms == FIRST_MS + 1007


def test_not_modified_is_a_revisit_of_what_was_stored(judging: Judging) -> None:
    judging.judge(page(A, b"x", 1))
    told, events = judging.judge(answered(A, reason_pb2.REASON_NOT_MODIFIED, 304, 2))
    assert told[0].verdict == page_pb2.VERDICT_UNCHANGED
    assert events == []
    assert archived(judging)[1].fields["WARC-Profile"].endswith("/server-not-modified")
    assert verdicts(judging, page(A, b"x", 3)) == ["UNCHANGED"]


def test_changed_content_is_told_and_stored_again(judging: Judging) -> None:
    judging.judge(page(A, b"x", 1))
    _, (event,) = judging.judge(page(A, b"y", 2))
    assert event.verdict == page_pb2.VERDICT_CHANGED
    assert [record.kind for record in archived(judging)] == ["response", "response"]


def test_an_exact_duplicate_is_an_alias_and_its_bytes_are_not_stored(judging: Judging) -> None:
    judging.judge(page(A, b"same", 1))
    (told,), (event,) = judging.judge(page(FAR, b"same", 2))
    assert told.verdict == event.verdict == page_pb2.VERDICT_ALIAS
    assert told.alias_of == event.canonical_url == event.duplicate_of == A
    assert event.text_zstd == b""
    _, revisit = archived(judging)
    assert revisit.fields["WARC-Target-URI"] == FAR
    assert revisit.fields["WARC-Refers-To-Target-URI"] == A
    assert verdicts(judging, page(FAR, b"same", 3)) == ["UNCHANGED"]


def test_duplicates_within_a_batch_see_each_other(judging: Judging) -> None:
    batch = [page(A, b"same", 1), page(B, b"same", 2), page(B, b"same", 3), page(A, b"same", 4)]
    assert verdicts(judging, *batch) == ["NEW", "ALIAS", "UNCHANGED", "UNCHANGED"]
    kinds = [record.kind for record in archived(judging)]
    assert kinds == ["response", "revisit", "revisit", "revisit"]


def test_a_near_duplicate_is_an_alias_and_leaves_a_note(judging: Judging) -> None:
    judging.judge(page(A, b"nearly one", 1, simhash=SIMHASH))
    _, (event,) = judging.judge(page(B, b"nearly two", 2, simhash=SIMHASH ^ 0b1011))
    assert event.duplicate_of == A
    _, note = archived(judging)
    assert note.kind == "metadata"
    assert b"resembles: %s\r\nsimhash-distance: 3\r\n" % A.encode() in note.payload
    assert read_record(judging.folder, event.storage_key).payload == note.payload
    assert verdicts(judging, page(B, b"nearly two", 3, simhash=SIMHASH ^ 0b1011)) == ["UNCHANGED"]
    assert len(archived(judging)) == 2


def test_near_duplicates_within_a_batch_see_each_other(judging: Judging) -> None:
    batch = [page(A, b"one", 1, simhash=SIMHASH), page(B, b"two", 2, simhash=SIMHASH ^ 1)]
    assert verdicts(judging, *batch, page(FAR, b"far", 3, simhash=SIMHASH ^ 0xF)) == [
        *["NEW", "ALIAS", "NEW"]
    ]


def test_near_duplicates_are_kept_when_asked(tmp_path: Path) -> None:
    judging = Judging(tmp_path, ContentDedupSettings(keep_near_duplicates=True))
    judging.judge(page(A, b"one", 1, simhash=SIMHASH))
    _, (event,) = judging.judge(page(B, b"two", 2, simhash=SIMHASH ^ 1))
    assert event.duplicate_of == A
    assert gzip.decompress(read_record(tmp_path, event.storage_key).payload) == b"two"
    assert [record.kind for record in archived(judging)] == ["response", "response", "metadata"]
    judging.close()


def test_short_texts_and_empty_pages_are_nobodys_duplicates(judging: Judging) -> None:
    assert verdicts(judging, page(A, b"one", 1), page(B, b"two", 2)) == ["NEW", "NEW"]
    assert verdicts(judging, page(FAR, b"", 3), page(FAR + "x", b"", 4)) == ["NEW", "NEW"]
    assert verdicts(judging, page(FAR, b"", 5)) == ["UNCHANGED"]


def test_a_better_canonical_takes_the_place_of_its_twin(judging: Judging) -> None:
    judging.judge(page(B, b"same", 1))
    (told,), events = judging.judge(page(A, b"same", 2))
    assert told.verdict == page_pb2.VERDICT_NEW
    assert [(each.url, each.verdict, each.duplicate_of) for each in events] == [
        (A, page_pb2.VERDICT_NEW, ""),
        (B, page_pb2.VERDICT_ALIAS, A),
    ]
    assert {each.attempt_id for each in events} == {"0.2"}
    assert [record.kind for record in archived(judging)] == ["response", "response"]
    assert verdicts(judging, page(B, b"same", 3), page(FAR, b"same", 4)) == ["UNCHANGED", "ALIAS"]
    row = judging.row(FAR)
    assert row is not None
    assert row.alias_of == A


def test_a_fingerprint_holds_only_while_its_page_has_that_content(judging: Judging) -> None:
    judging.judge(page(A, b"same", 1, simhash=SIMHASH), page(FAR, b"same", 2, simhash=SIMHASH))
    judging.judge(page(A, b"other", 3, simhash=7))
    _, (event,) = judging.judge(page(FAR, b"same", 4, simhash=SIMHASH))
    assert event.verdict == page_pb2.VERDICT_CHANGED
    assert event.canonical_url == FAR
    assert gzip.decompress(read_record(judging.folder, event.storage_key).payload) == b"same"


@pytest.mark.parametrize("simhash", [0, SIMHASH])
@pytest.mark.parametrize("claimant", [A, B])
def test_a_fingerprint_that_no_row_bears_out_is_nothing(
    judging: Judging, simhash: int, claimant: str
) -> None:
    """As when another partition's page has changed meanwhile, or never was."""
    message = page(FAR, b"same", 2, simhash=simhash)
    judging.judge(page(A, b"other", 1))
    claim = PageFingerprint(CanonicalUrl(claimant), message.content_hash, SIMHASH)
    asyncio.run(SqliteFingerprints(judging.database).hold([claim]))
    assert verdicts(judging, message, page(B, b"same", 3)) == ["NEW", "ALIAS"]


def test_pages_that_change_leave_no_fingerprints_behind(judging: Judging) -> None:
    for sequence in range(1, 20):
        judging.judge(page(A, b"%d" % sequence, sequence, simhash=SIMHASH * sequence % (1 << 64)))
    judging.judge(page(B, b"19", 20), page(FAR, b"far", 21, simhash=5))
    judging.judge(answered(FAR, reason_pb2.REASON_GONE, 404, 22))
    tables = ["content_holders", "near_pages", *(f"near_young_{n}" for n in range(1, 4))]
    rows = [judging.database.rows(f"SELECT count(*) FROM {table}") for table in tables]
    assert rows == [[(1,)]] * len(tables)


def test_a_page_that_was_there_is_told_gone_once(judging: Judging) -> None:
    gone = reason_pb2.REASON_GONE
    (told,), events = judging.judge(answered(A, gone, 404, 1))
    assert (told.verdict, events) == (page_pb2.VERDICT_GONE, [])
    judging.judge(page(A, b"x", 2))
    _, (event,) = judging.judge(answered(A, gone, 410, 3))
    assert (event.verdict, event.http_status, event.storage_key) == (page_pb2.VERDICT_GONE, 410, "")
    assert judging.judge(answered(A, gone, 410, 4))[1] == []
    assert verdicts(judging, page(A, b"x", 5)) == ["NEW"]


def test_a_page_that_moved_is_an_alias_of_where_it_went(judging: Judging) -> None:
    moved = reason_pb2.REASON_REDIRECTED
    (told,), events = judging.judge(answered(A, moved, 301, 1, FAR))
    assert (told.verdict, told.alias_of, events) == (page_pb2.VERDICT_REDIRECTED, FAR, [])
    row = judging.row(A)
    assert row is not None
    assert row.alias_of == FAR
    judging.judge(page(A, b"x", 2))
    _, (event,) = judging.judge(answered(A, moved, 301, 3, FAR))
    assert (event.verdict, event.canonical_url) == (page_pb2.VERDICT_ALIAS, FAR)
    redirect = archived(judging)[0]
    assert (redirect.kind, redirect.status, redirect.payload) == ("response", 301, b"")


def test_a_failure_leaves_what_is_known(judging: Judging) -> None:
    judging.judge(page(A, b"x", 1))
    reasons = [
        reason_pb2.REASON_TIMED_OUT,
        reason_pb2.REASON_ROBOTS_DISALLOWED,
        reason_pb2.REASON_LOST,
    ]
    told, events = judging.judge(*(unanswered(A, each, n + 2) for n, each in enumerate(reasons)))
    assert [each.verdict for each in told] == [
        page_pb2.VERDICT_FAILED,
        page_pb2.VERDICT_REFUSED,
        page_pb2.VERDICT_LOST,
    ]
    assert events == []
    assert all(each.fetched_at_unix_ms > FIRST_MS for each in told)
    assert len(archived(judging)) == 1
    assert verdicts(judging, page(A, b"x", 9)) == ["UNCHANGED"]


def test_a_page_that_killed_its_parser_is_failed_and_not_stored(judging: Judging) -> None:
    assert verdicts(judging, page(A, b"x", reason=reason_pb2.REASON_PARSER_CRASHED)) == ["FAILED"]
    assert not judging.warc.stat().st_size


def test_a_type_without_a_parser_is_stored_and_told(judging: Judging) -> None:
    message = page(A, b"\0\1\2", reason=reason_pb2.REASON_NOT_PARSED, gzipped=False)
    message.mime_type = "application/octet-stream"
    _, (event,) = judging.judge(message)
    assert event.mime_type == "application/octet-stream"
    assert read_record(judging.folder, event.storage_key).payload == b"\0\1\2"


def test_sitemaps_and_feeds_are_judged_and_stored_but_no_pages(judging: Judging) -> None:
    kinds = [url_pb2.URL_KIND_SITEMAP, url_pb2.URL_KIND_FEED]
    told, events = judging.judge(
        *(page(f"{FAR}{kind}", b"%d" % kind, kind, kind=kind) for kind in kinds)
    )
    assert [each.verdict for each in told] == [page_pb2.VERDICT_NEW] * 2
    assert events == []
    assert len(archived(judging)) == 2


def test_a_long_text_is_a_record_of_its_own(tmp_path: Path) -> None:
    judging = Judging(tmp_path, ContentDedupSettings(inline_text_bytes=10))
    _, (event,) = judging.judge(page(A, b"hello"))
    assert event.text_zstd == b""
    assert read_record(tmp_path, event.text_key).payload == b"the text of hello"
    judging.close()


def test_an_attempt_that_was_overtaken_changes_nothing(judging: Judging) -> None:
    judging.judge(page(A, b"newer", 5))
    (told,), events = judging.judge(page(A, b"older", 4))
    assert (told.verdict, events) == (page_pb2.VERDICT_UNCHANGED, [])
    row = judging.row(A)
    assert row is not None
    assert row.sequence == 5
    assert len(archived(judging)) == 1


def test_poison_is_told_before_anything_is_changed_and_has_its_verdict(judging: Judging) -> None:
    bad = page(B, b"x", 2)
    bad.body.claim_key = "elsewhere"
    batch = judging.take(page(A, b"x", 1), bad)
    with pytest.raises(Poison) as poison:
        judging.handle(batch)
    judging.database.execute("ROLLBACK")
    assert poison.value.record is batch[1]
    assert judging.store.close() is None
    assert not judging.warc.stat().st_size
    judging.open()
    assert judging.step.on_dead is not None
    (emit,) = judging.step.on_dead(batch[1], "cause")
    assert emit.message.verdict == page_pb2.VERDICT_FAILED
    assert emit.message.reason == reason_pb2.REASON_POISONED
    nameless = judging.take(PageParsed())
    assert judging.step.on_dead(nameless[0], "cause") == ()


def test_every_index_line_leads_to_a_capture(judging: Judging) -> None:
    judging.judge(page(A, b"same", 1), page(FAR, b"same", 2), page(B, b"other", 3))
    lines = judging.warc.with_name("nephila-00000.cdxj").read_text().splitlines()
    entries = [json.loads(line.split(" ", 2)[2]) for line in lines]
    assert [(entry["url"], entry["mime"]) for entry in entries] == [
        (A, "text/html"),
        (FAR, "warc/revisit"),
        (B, "text/html"),
    ]
    # By the digest a replay finds the bytes of a revisit.
    assert entries[0]["digest"] == entries[1]["digest"]


def test_what_was_judged_is_counted(tmp_path: Path) -> None:
    metrics = PrometheusRecorder()
    judging = Judging(tmp_path, metrics=metrics)
    judging.judge(page(A, b"same", 1), page(FAR, b"same", 2))
    scraped = metrics.exposition().decode()
    assert 'nephila_content_dedup_judged_total{verdict="alias"} 1.0' in scraped
    assert 'nephila_content_dedup_duplicates_total{likeness="exact"} 1.0' in scraped
    assert "nephila_content_dedup_stored_bytes_total" in scraped
    judging.close()
