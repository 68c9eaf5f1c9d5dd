"""The step: an answer comes in, what it says goes out."""

from collections.abc import Sequence
from typing import Any, cast

from nephila_contracts import topics
from nephila_contracts.v1.page_pb2 import Directives, PageDownloaded, PageParsed
from nephila_contracts.v1.reason_pb2 import REASON_POISONED, Reason
from nephila_contracts.v1.url_pb2 import DISCOVERY_SOURCE_LINK, DISCOVERY_SOURCE_SITEMAP
from nephila_runtime import Emit, Handled, Record

from nephila_parser.directives import Directive
from nephila_parser.discovery import discovered, edges
from nephila_parser.page import ParsedPage, ParseJob
from nephila_parser.pool import ParserPool
from nephila_parser.recent_links import DIGEST_BYTES, RecentLinks


class Parse:
    """page_downloaded to page_parsed, url_discovered and link_graph, one page a call, many at once."""

    def __init__(self, pool: ParserPool, recent: RecentLinks) -> None:
        self._pool = pool
        self._recent = recent

    async def handle(self, batch: Sequence[Record[PageDownloaded]]) -> Handled:
        """Learned: the digests of the links that were published, and their depth."""
        (record,) = batch
        message = record.message
        attempt = message.attempt
        page = await self._pool.parse(job_of(message))
        emits: list[Emit[Any]] = [Emit(topics.PAGE_PARSED, attempt.site_key, parsed(message, page))]
        kept = self._to_publish(page, attempt.depth + 1)
        emits.extend(discovered(page, kept, attempt))
        if page.source == DISCOVERY_SOURCE_LINK:
            emits.append(edges(page, attempt))
        return Handled(emits, (_digests(page, kept), attempt.depth + 1))

    async def after(self, learned: tuple[bytes, int]) -> None:
        """Only now: a link remembered before its message is durable would be lost with it."""
        digests, depth = learned
        self._recent.learn(digests, depth)

    def on_dead(self, record: Record[PageDownloaded], _cause: str) -> Sequence[Emit[Any]]:
        """A page that could not be handled gets its verdict all the same."""
        page = ParsedPage(REASON_POISONED)
        message = parsed(record.message, page)
        return [Emit(topics.PAGE_PARSED, record.message.attempt.site_key, message)]

    def _to_publish(self, page: ParsedPage, depth: int) -> list[int]:
        links = page.links
        fresh = self._recent.unpublished(links.digests, depth)
        if links.lastmods_unix_ms:
            # A hint is news about a known URL: it goes out however lately the URL did.
            hinted = {at for at, lastmod in enumerate(links.lastmods_unix_ms) if lastmod}
            fresh = sorted(hinted.union(fresh))
        if links.unfollowed:
            held_back = frozenset(links.unfollowed)
            fresh = [at for at in fresh if at not in held_back]
        return fresh


def job_of(message: PageDownloaded) -> ParseJob:
    """What the parser is to know of an answer."""
    exchange, body = message.exchange, message.body
    return ParseJob(
        url=message.attempt.url,
        kind=message.attempt.kind,
        coding=body.coding,
        content_type=exchange.content_type,
        x_robots_tag=exchange.x_robots_tag,
        link=exchange.link,
        body=body.data,
        packed_here=body.coding != body.served_coding,
    )


def parsed(message: PageDownloaded, page: ParsedPage) -> PageParsed:
    """The answer with all that was found in it; its body is passed on as it came."""
    result = PageParsed(
        attempt=message.attempt,
        exchange=message.exchange,
        body=message.body,
        reason=cast("Reason", page.reason),
        content_hash=page.content_hash,
        simhash=page.simhash,
        mime_type=page.mime_type,
        charset=page.charset,
        title=page.title,
        description=page.description,
        language=page.language,
        canonical_url=page.canonical_url,
        text_zstd=page.text_zstd,
        body_cut=page.body_cut,
        body_bytes=page.body_bytes,
    )
    if page.directives:
        result.directives.CopyFrom(_directives(page.directives))
    if page.source != DISCOVERY_SOURCE_SITEMAP:
        # A sitemap's fifty thousand entries are no links of a page.
        result.out_links.extend(page.links.urls)
    return result


def _directives(bits: int) -> Directives:
    return Directives(
        noindex=bool(bits & Directive.NOINDEX),
        nofollow=bool(bits & Directive.NOFOLLOW),
        noarchive=bool(bits & Directive.NOARCHIVE),
        nosnippet=bool(bits & Directive.NOSNIPPET),
    )


def _digests(page: ParsedPage, kept: Sequence[int]) -> bytes:
    digests = page.links.digests
    if len(kept) * DIGEST_BYTES == len(digests):
        return digests
    return b"".join([digests[at * DIGEST_BYTES : (at + 1) * DIGEST_BYTES] for at in kept])
