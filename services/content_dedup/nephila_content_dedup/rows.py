"""The content_ columns that an attempt leaves behind."""

from dataclasses import replace

from nephila_contracts.v1 import page_pb2
from nephila_storage.page_store import Capture, Response, Stored
from nephila_storage.url_state import ContentRecord

from nephila_content_dedup.attempts import FinalAttempt
from nephila_content_dedup.verdict import Judgement

_NOTHING_STORED = Stored("", "")
_CONTENT_ENDS = (page_pb2.VERDICT_GONE, page_pb2.VERDICT_REDIRECTED)
_CONTENT_IS_NEW = (page_pb2.VERDICT_NEW, page_pb2.VERDICT_CHANGED, page_pb2.VERDICT_ALIAS)


def row_after(
    attempt: FinalAttempt,
    judgement: Judgement,
    previous: ContentRecord | None,
    capture: Capture | None,
    stored: Stored | None,
) -> ContentRecord:
    """The row after a judged attempt; `capture` is what of it was stored as `stored`."""
    if judgement.verdict in _CONTENT_IS_NEW:
        return _with_new_content(attempt, judgement, previous, capture, stored or _NOTHING_STORED)
    if judgement.verdict in _CONTENT_ENDS or previous is None:
        return _without_content(attempt, judgement, previous, stored or _NOTHING_STORED)
    return _as_before(attempt, judgement, previous)


def _with_new_content(
    attempt: FinalAttempt,
    judgement: Judgement,
    previous: ContentRecord | None,
    capture: Capture | None,
    stored: Stored,
) -> ContentRecord:
    content = capture.content if capture else None
    payload = content.payload if isinstance(content, Response) else None
    page = attempt.page
    return ContentRecord(
        url=attempt.url,
        site_key=attempt.site_key,
        digest=attempt.digest,
        sequence=page.attempt.sequence,
        offset=attempt.offset,
        content_hash=attempt.content.content_hash if attempt.content else b"",
        previous_hash=previous.content_hash if previous else b"",
        simhash=attempt.content.simhash if attempt.content else 0,
        verdict=judgement.verdict,
        alias_of=judgement.twin.url if judgement.twin else "",
        storage_key=stored.storage_key,
        text_key=stored.text_key,
        payload_digest=payload.digest if payload else b"",
        stored_at_ms=page.exchange.fetched_at_unix_ms if payload else 0,
        displaced=judgement.displaced.url if judgement.displaced else "",
    )


def _without_content(
    attempt: FinalAttempt, judgement: Judgement, previous: ContentRecord | None, stored: Stored
) -> ContentRecord:
    moved_to = attempt.page.exchange.location
    return ContentRecord(
        url=attempt.url,
        site_key=attempt.site_key,
        digest=attempt.digest,
        sequence=attempt.page.attempt.sequence,
        offset=attempt.offset,
        content_hash=b"",
        previous_hash=previous.content_hash if previous else b"",
        simhash=0,
        verdict=judgement.verdict,
        alias_of=moved_to if judgement.verdict == page_pb2.VERDICT_REDIRECTED else "",
        storage_key=stored.storage_key,
        text_key="",
        payload_digest=b"",
        stored_at_ms=0,
        displaced="",
    )


def _as_before(
    attempt: FinalAttempt, judgement: Judgement, previous: ContentRecord
) -> ContentRecord:
    """Unchanged, or not seen this time: what the URL held before still stands."""
    return replace(
        previous,
        sequence=attempt.page.attempt.sequence,
        offset=attempt.offset,
        previous_hash=previous.content_hash,
        verdict=judgement.verdict,
        displaced="",
    )
