"""The messages that a verdict makes, from the attempt's message and the row it left: so that a replay,
which finds the row, says the same again."""

from nephila_contracts import topics
from nephila_contracts.v1 import page_pb2
from nephila_contracts.v1.page_pb2 import PageFetched, PageJudged, PageParsed, Verdict
from nephila_contracts.v1.reason_pb2 import REASON_POISONED, Reason
from nephila_contracts.v1.url_pb2 import URL_KIND_UNSPECIFIED
from nephila_runtime import Emit
from nephila_storage.url_state import ContentRecord
from nephila_urls import CanonicalUrl, site_key

_WITH_CONTENT = (page_pb2.VERDICT_NEW, page_pb2.VERDICT_CHANGED, page_pb2.VERDICT_ALIAS)
_ENDS_CONTENT = (page_pb2.VERDICT_GONE, page_pb2.VERDICT_REDIRECTED)
_CONTENT_SEEN = (*_WITH_CONTENT, page_pb2.VERDICT_UNCHANGED)


class Events:
    """`inline_text_bytes` (zstd) bounds the text that an event carries itself."""

    def __init__(self, inline_text_bytes: int) -> None:
        self._inline_text_bytes = inline_text_bytes

    def of(
        self, page: PageParsed, row: ContentRecord, displaced: ContentRecord | None, now_ms: int
    ) -> list[Emit[PageJudged] | Emit[PageFetched]]:
        """Everything to be said of a judged attempt. `now_ms` dates one that had no answer."""
        key = page.attempt.site_key
        emits: list[Emit[PageJudged] | Emit[PageFetched]] = [
            Emit(topics.PAGE_JUDGED, key, _judged(page, row, now_ms))
        ]
        # A sitemap or feed is no page: it was read for its links.
        if page.attempt.kind == URL_KIND_UNSPECIFIED:
            fetched = self._fetched(page, row)
            if fetched:
                emits.append(Emit(topics.PAGE_FETCHED, key, fetched))
        if displaced:
            emits.append(Emit(topics.PAGE_FETCHED, key, _displaced(page, displaced)))
        return emits

    def _fetched(self, page: PageParsed, row: ContentRecord) -> PageFetched | None:
        if row.verdict in _WITH_CONTENT:
            return self._with_content(page, row)
        if row.verdict in _ENDS_CONTENT and row.previous_hash:
            return _ended(page, row)
        return None

    def _with_content(self, page: PageParsed, row: ContentRecord) -> PageFetched:
        attempt, exchange = page.attempt, page.exchange
        # A page that was new may have become an alias of a later one, which tells that itself.
        alias_of = row.alias_of if row.verdict == page_pb2.VERDICT_ALIAS else ""
        inline = not alias_of and len(page.text_zstd) <= self._inline_text_bytes
        return PageFetched(
            url=row.url,
            canonical_url=alias_of or _declared_canonical(page) or row.url,
            fetched_at_unix_ms=exchange.fetched_at_unix_ms,
            http_status=exchange.status,
            content_hash=row.content_hash.hex(),
            simhash=f"{row.simhash:016x}" if row.simhash else "",
            storage_key=row.storage_key,
            out_links=page.out_links,
            attempt_id=attempt.attempt_id,
            verdict=row.verdict,
            title=page.title,
            description=page.description,
            language=page.language,
            mime_type=page.mime_type,
            directives=page.directives,
            duplicate_of=alias_of,
            text_zstd=page.text_zstd if inline else b"",
            text_key=row.text_key,
            depth=attempt.depth,
        )


def _judged(page: PageParsed, row: ContentRecord, now_ms: int) -> PageJudged:
    exchange = page.exchange
    seen = row.verdict in _CONTENT_SEEN
    redirected = row.verdict == page_pb2.VERDICT_REDIRECTED
    alias_of = row.alias_of if row.verdict == page_pb2.VERDICT_ALIAS else ""
    return PageJudged(
        attempt=page.attempt,
        verdict=row.verdict,
        reason=page.reason,
        http_status=exchange.status,
        etag=exchange.etag if seen else "",
        last_modified=exchange.last_modified if seen else "",
        content_hash=row.content_hash if seen else b"",
        fetched_at_unix_ms=exchange.fetched_at_unix_ms or now_ms,
        alias_of=exchange.location if redirected else alias_of,
        storage_key=row.storage_key if seen or redirected else "",
    )


def _ended(page: PageParsed, row: ContentRecord) -> PageFetched:
    """A page that was there is no more: gone, or moved to where it redirects."""
    exchange = page.exchange
    moved_to = exchange.location if row.verdict == page_pb2.VERDICT_REDIRECTED else ""
    return PageFetched(
        url=row.url,
        canonical_url=moved_to or row.url,
        fetched_at_unix_ms=exchange.fetched_at_unix_ms,
        http_status=exchange.status,
        attempt_id=page.attempt.attempt_id,
        verdict=page_pb2.VERDICT_ALIAS if moved_to else page_pb2.VERDICT_GONE,
        duplicate_of=moved_to,
        depth=page.attempt.depth,
    )


def _displaced(page: PageParsed, displaced: ContentRecord) -> PageFetched:
    """Another page became an alias of this one, which is the better canonical."""
    return PageFetched(
        url=displaced.url,
        canonical_url=page.attempt.url,
        fetched_at_unix_ms=page.exchange.fetched_at_unix_ms,
        http_status=page.exchange.status,
        content_hash=displaced.content_hash.hex(),
        simhash=f"{displaced.simhash:016x}" if displaced.simhash else "",
        storage_key=displaced.storage_key,
        attempt_id=page.attempt.attempt_id,
        verdict=page_pb2.VERDICT_ALIAS,
        duplicate_of=page.attempt.url,
    )


def _declared_canonical(page: PageParsed) -> str:
    """The page's own rel=canonical. Another site's word is not taken: anybody may claim anything."""
    declared = page.canonical_url
    if not declared or declared == page.attempt.url:
        return ""
    return declared if site_key(CanonicalUrl(declared)) == page.attempt.site_key else ""


def bare_verdict(
    page: PageParsed, verdict: Verdict, reason: Reason, now_ms: int
) -> Emit[PageJudged]:
    """The verdict of an attempt that leaves no row: poisoned, or older than what is known."""
    exchange = page.exchange
    judged = PageJudged(
        attempt=page.attempt,
        verdict=verdict,
        reason=reason,
        http_status=exchange.status,
        fetched_at_unix_ms=exchange.fetched_at_unix_ms or now_ms,
    )
    return Emit(topics.PAGE_JUDGED, page.attempt.site_key, judged)


def poisoned(page: PageParsed, now_ms: int) -> Emit[PageJudged]:
    """The verdict of a message that could not be handled."""
    return bare_verdict(page, page_pb2.VERDICT_FAILED, REASON_POISONED, now_ms)
