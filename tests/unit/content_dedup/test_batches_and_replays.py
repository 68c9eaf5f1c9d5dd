"""How a stream is cut into batches, and how often a crash repeats one, changes nothing that is told."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from archive_readers import fastwarc_records, warcio_accepts
from hypothesis import given, settings
from hypothesis import strategies as st
from judging import Judging
from nephila_contracts.v1 import page_pb2, reason_pb2
from nephila_contracts.v1.page_pb2 import PageParsed
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime import Handled, Record
from nephila_storage.url_state import ContentRecord
from parsed_pages import answered, judged, page, unanswered

URLS = [
    "http://a.example/p",
    "https://a.example/p",
    "https://a.example/page",
    "https://www.a.example/another",
    "https://b.example/",
]
SIMHASHES = [0, 0xFFFF, 0xFFFE, 0xFFF0FFFF, 0xFFFFFFFFFFFF0000]


@dataclass(frozen=True)
class Content:
    """A page's content, to be served at some attempt."""

    url: str
    number: int
    simhash: int

    def at(self, sequence: int) -> PageParsed:
        content = b"content %d %d" % (self.number, self.simhash)
        return page(self.url, content, sequence, simhash=self.simhash)


@dataclass(frozen=True)
class NoContent:
    """An attempt without content; status 0 is no answer."""

    url: str
    reason: Reason
    status: int

    def at(self, sequence: int) -> PageParsed:
        if not self.status:
            return unanswered(self.url, self.reason, sequence)
        return answered(self.url, self.reason, self.status, sequence)


Stream = list[Content | NoContent]

_urls = st.sampled_from(URLS)
_contents = st.builds(Content, _urls, st.integers(0, 3), st.sampled_from(SIMHASHES))
_ENDINGS = (
    (reason_pb2.REASON_NOT_MODIFIED, 304),
    (reason_pb2.REASON_REDIRECTED, 301),
    (reason_pb2.REASON_GONE, 404),
    (reason_pb2.REASON_TIMED_OUT, 0),
)
_others = st.one_of(
    [st.builds(NoContent, _urls, st.just(reason), st.just(status)) for reason, status in _ENDINGS]
)
_streams: st.SearchStrategy[Stream] = st.lists(
    st.one_of(_contents, _contents, _others), max_size=14
)


@dataclass(frozen=True)
class Outcome:
    """All that a stream led to."""

    told: list[bytes]
    rows: list[ContentRecord]
    archive: bytes
    index: bytes


def messages(stream: Sequence[Content | NoContent]) -> list[PageParsed]:
    return [each.at(sequence) for sequence, each in enumerate(stream, 1)]


def said(handled: Handled) -> list[bytes]:
    """Every message as bytes; the time of an attempt that had no answer is the clock's."""
    for told in judged(handled):
        if not told.http_status:
            told.fetched_at_unix_ms = 0
    return [
        emit.topic.name.encode() + emit.message.SerializeToString(deterministic=True)
        for emit in handled.emits
    ]


def outcome(batches: Sequence[Sequence[PageParsed]], crashes: Sequence[bool]) -> Outcome:
    """Runs the batches; where `crashes` says so, each dies once before its commit."""
    with TemporaryDirectory() as folder:
        judging = Judging(Path(folder))
        told: list[bytes] = []
        for batch, crash in zip(batches, crashes, strict=True):
            taken = judging.take(*batch)
            if crash:
                lost = said(judging.handle(taken, crash=True))
                assert lost == said(again := judging.handle(taken))
            else:
                again = judging.handle(taken)
            told += said(again)
        rows = judging.rows()
        judging.close()
        archive = judging.warc.read_bytes()
        if archive:
            assert warcio_accepts(judging.warc)
        return Outcome(
            told, rows, archive, judging.warc.with_name("nephila-00000.cdxj").read_bytes()
        )


def cut(stream: list[PageParsed], at: Sequence[int]) -> list[list[PageParsed]]:
    edges = [0, *sorted({min(edge, len(stream)) for edge in at}), len(stream)]
    return [stream[start:end] for start, end in pairwise(edges)]


@settings(max_examples=60, deadline=None)
@given(_streams, st.lists(st.integers(0, 14), max_size=4))
def test_batches_may_be_cut_anywhere(stream: Stream, at: list[int]) -> None:
    attempts = messages(stream)
    whole = outcome([attempts], [False])
    one_by_one = [[attempt] for attempt in attempts]
    assert outcome(cut(attempts, at), [False] * len(cut(attempts, at))) == whole
    assert outcome(one_by_one, [False] * len(one_by_one)) == whole


@settings(max_examples=60, deadline=None)
@given(_streams, st.lists(st.integers(0, 14), max_size=3), st.integers(0, 31))
def test_a_crash_before_the_commit_leaves_no_trace(
    stream: Stream, at: list[int], crash_bits: int
) -> None:
    batches = cut(messages(stream), at)
    crashes = [bool(crash_bits >> index & 1) for index in range(len(batches))]
    assert outcome(batches, crashes) == outcome(batches, [False] * len(batches))


@settings(max_examples=60, deadline=None)
@given(st.lists(_contents, max_size=8, unique_by=lambda each: each.url))
def test_a_batch_that_is_handled_twice_says_the_same_and_stores_nothing_more(
    stream: list[Content],
) -> None:
    """As on Kafka, where rows are written before the messages are."""
    with TemporaryDirectory() as folder:
        judging = Judging(Path(folder))
        taken = judging.take(*messages(stream))
        first, length = judging.handle(taken), judging.warc.stat().st_size
        assert said(judging.handle(taken)) == said(first)
        assert judging.warc.stat().st_size == length
        judging.close()


@settings(max_examples=40, deadline=None)
@given(_streams)
def test_a_copy_at_another_offset_is_dropped(stream: Stream) -> None:
    with TemporaryDirectory() as folder:
        judging = Judging(Path(folder))
        last = {message.attempt.url: message for message in messages(stream)}
        judging.handle(judging.take(*messages(stream)))
        copies: list[Record[PageParsed]] = judging.take(*last.values())
        length = judging.warc.stat().st_size
        assert judging.handle(copies).emits == []
        assert judging.warc.stat().st_size == length
        judging.close()


@settings(max_examples=60, deadline=None)
@given(_streams)
def test_what_is_known_agrees_with_what_was_told(stream: Stream) -> None:
    """Every attempt has one verdict; whoever follows the events holds exactly the canonical pages."""
    with TemporaryDirectory() as folder:
        judging = Judging(Path(folder))
        told, events = judging.judge(*messages(stream))
        assert len(told) == len(stream)
        held: dict[str, str] = {}
        for event in events:
            if event.verdict in (page_pb2.VERDICT_NEW, page_pb2.VERDICT_CHANGED):
                held[event.url] = event.content_hash
            else:
                held.pop(event.url, None)
        canonical = [row for row in judging.rows() if row.content_hash and not row.alias_of]
        assert held == {row.url: row.content_hash.hex() for row in canonical}
        assert len(set(held.values())) == len(held)
        by_url: dict[str, ContentRecord] = {row.url: row for row in judging.rows()}
        if judging.warc.stat().st_size:
            payloads = {
                (record.fields["WARC-Target-URI"], record.fields["WARC-Payload-Digest"])
                for record in fastwarc_records(judging.warc)
                if record.kind == "response"
            }
            for url in held:
                digest = f"sha256:{by_url[url].payload_digest.hex()}"
                assert (url, digest) in payloads
        judging.close()
