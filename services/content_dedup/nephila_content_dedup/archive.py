"""What of an attempt goes into the archive."""

from nephila_contracts.v1 import page_pb2
from nephila_contracts.v1.page_pb2 import PageParsed
from nephila_storage.page_store import (
    Capture,
    Note,
    Original,
    Payload,
    Response,
    Revisit,
    RevisitProfile,
)
from nephila_storage.payload import EMPTY_PAYLOAD, unpacked
from nephila_storage.simhash_blocks import distance
from nephila_storage.url_state import ContentRecord

from nephila_content_dedup.answers import Answer
from nephila_content_dedup.attempts import FinalAttempt
from nephila_content_dedup.verdict import Judgement

_STANDS_FOR_ITSELF = (page_pb2.VERDICT_NEW, page_pb2.VERDICT_CHANGED)


class Archive:
    """Decides what is kept. `keep_near` keeps the bytes of near-duplicates; a text of more than
    `inline_text_bytes` (zstd) is kept as a record of its own, since its event cannot carry it."""

    def __init__(self, *, keep_near: bool, inline_text_bytes: int) -> None:
        self._keep_near = keep_near
        self._inline_text_bytes = inline_text_bytes

    def capture_of(
        self, attempt: FinalAttempt, judgement: Judgement, previous: ContentRecord | None
    ) -> Capture | None:
        """What is to be stored of a judged attempt; None when nothing is."""
        page = attempt.page
        note = _resemblance(page, judgement)
        if attempt.payload:
            content = self._page_content(attempt.payload, judgement, previous, note)
        elif attempt.answer is Answer.NOT_MODIFIED:
            content = _revisit(previous, RevisitProfile.NOT_MODIFIED)
        elif attempt.answer is Answer.REDIRECT and page.exchange.response_head:
            # The head alone: replay needs where a redirect led.
            content = Response(EMPTY_PAYLOAD)
        else:
            content = None
        if content is None:
            return None
        return Capture(
            attempt.url,
            page.attempt.attempt_id,
            page.exchange,
            page.mime_type,
            content,
            note if isinstance(content, Response) else None,
            self._text(page, judgement),
        )

    def _page_content(
        self,
        payload: Payload,
        judgement: Judgement,
        previous: ContentRecord | None,
        note: Note | None,
    ) -> Response | Revisit | Note | None:
        if judgement.verdict in _STANDS_FOR_ITSELF:
            return Response(payload)
        unchanged = judgement.verdict == page_pb2.VERDICT_UNCHANGED
        if unchanged and previous and previous.payload_digest:
            return _revisit(previous, RevisitProfile.IDENTICAL_PAYLOAD)
        if judgement.near:
            if unchanged:
                return None
            return Response(payload) if self._keep_near else note
        return _revisit(judgement.twin, RevisitProfile.IDENTICAL_PAYLOAD)

    def _text(self, page: PageParsed, judgement: Judgement) -> bytes:
        if (
            judgement.verdict not in _STANDS_FOR_ITSELF
            or len(page.text_zstd) <= self._inline_text_bytes
        ):
            return b""
        return unpacked(page.text_zstd)


def _revisit(row: ContentRecord | None, profile: RevisitProfile) -> Revisit | None:
    """A revisit of what is stored under the row's URL; None when nothing is."""
    if row is None or not row.payload_digest:
        return None
    return Revisit(Original(row.url, row.stored_at_ms, row.payload_digest), profile)


def _resemblance(page: PageParsed, judgement: Judgement) -> Note | None:
    if judgement.verdict != page_pb2.VERDICT_ALIAS or not judgement.near or not judgement.twin:
        return None
    return Note(
        (
            ("resembles", judgement.twin.url),
            ("simhash-distance", str(distance(page.simhash, judgement.twin.simhash))),
            ("content-sha256", page.content_hash.hex()),
        )
    )
