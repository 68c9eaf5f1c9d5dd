"""What the fetcher says about a fetch that ended."""

from collections.abc import Iterator, Sequence
from typing import Any

from nephila_contracts import topics
from nephila_contracts.v1.fetch_pb2 import Attempt, FetchCompleted
from nephila_contracts.v1.page_pb2 import Body, Exchange, PageDownloaded, PageParsed
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_contracts.v1.url_pb2 import (
    DiscoveredLink,
    DiscoverySource,
    UrlDiscovered,
    UrlKind,
)
from nephila_runtime import Emit
from nephila_urls import CanonicalRules, CanonicalUrl, UrlRefused, canonicalise, site_key

from nephila_fetcher.body_packing import pack, served_coding
from nephila_fetcher.exchange import Answer
from nephila_fetcher.outcome import Outcome
from nephila_fetcher.polite_get import Trail

# Of url_discovered: the limits that url.proto states, less what a message holds beside its URLs.
_LINKS = 500
_BYTES = 240_000
# A robots.txt of 500 KiB can name thousands; a page gives no more than this either.
_MAX_SITEMAPS = 10_000
_SERVED_FIELDS = {
    b"content-type": "content_type",
    b"etag": "etag",
    b"last-modified": "last_modified",
    b"x-robots-tag": "x_robots_tag",
    b"link": "link",
}
# Of one field in a message: longer ones are an attack on those who read it.
_FIELD_LIMIT = 8192


def completed(
    attempt: Attempt, outcome: Outcome, trail: Trail, answer: Answer | None, crawl_delay: float
) -> Emit[FetchCompleted]:
    """The host is free again. `crawl_delay` is in seconds, 0 when robots.txt names none."""
    message = FetchCompleted(
        attempt=attempt,
        end=outcome.end,
        reason=outcome.reason,
        elapsed_ms=round(trail.elapsed * 1000),
        retry_after_ms=round(outcome.retry_after.total_seconds() * 1000),
        crawl_delay_ms=round(crawl_delay * 1000),
        request_sent=trail.request_sent,
    )
    if answer is not None:
        message.http_status = answer.status
        message.ip = answer.ip
        message.body_bytes = len(answer.body)
    return Emit(topics.FETCH_COMPLETED, attempt.site_key, message)


def verdict_path(
    attempt: Attempt, outcome: Outcome, trail: Trail, answer: Answer | None
) -> Iterator[Emit[Any]]:
    """What a final outcome sends on: a page to the parser, anything else to its verdict."""
    exchange = _exchange(answer, trail, outcome) if answer is not None else None
    if outcome.reason == Reason.REASON_FETCHED and answer is not None and answer.body:
        page = PageDownloaded(attempt=attempt, exchange=exchange, body=_body(answer))
        yield Emit(topics.PAGE_DOWNLOADED, attempt.site_key, page)
        return
    verdict = PageParsed(attempt=attempt, exchange=exchange, reason=outcome.reason)
    yield Emit(topics.PAGE_PARSED, attempt.site_key, verdict)
    if outcome.target is not None:
        yield _redirected(attempt, outcome.target)


def poisoned(attempt: Attempt) -> list[Emit[Any]]:
    """The end of a lease that could not be handled: its host is freed, its URL gets its verdict."""
    outcome, trail = Outcome(Reason.REASON_POISONED), Trail()
    return [
        completed(attempt, outcome, trail, None, 0.0),
        *verdict_path(attempt, outcome, trail, None),
    ]


def sitemaps(
    attempt: Attempt, robots_url: CanonicalUrl, named: Sequence[str], spelling: CanonicalRules
) -> Iterator[Emit[UrlDiscovered]]:
    """The sitemaps that a robots.txt names, of any site, in its order, grouped by site key."""
    by_site: dict[str, dict[str, None]] = {}
    for text in named[:_MAX_SITEMAPS]:
        try:
            url = canonicalise(text, robots_url, spelling)
        except UrlRefused:
            continue
        if url != robots_url:
            by_site.setdefault(site_key(url), {})[url] = None
    for key, urls in by_site.items():
        for batch in _batches(list(urls)):
            message = UrlDiscovered(
                site_key=key,
                source_url=robots_url,
                source=DiscoverySource.DISCOVERY_SOURCE_ROBOTS,
                links=[
                    DiscoveredLink(url=url, kind=UrlKind.URL_KIND_SITEMAP, depth=attempt.depth)
                    for url in batch
                ],
            )
            yield Emit(topics.URL_DISCOVERED, key, message)


def _batches(urls: Sequence[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for url in urls:
        if batch and (len(batch) == _LINKS or size + len(url) > _BYTES):
            yield batch
            batch, size = [], 0
        batch.append(url)
        size += len(url)
    if batch:
        yield batch


def _redirected(attempt: Attempt, target: CanonicalUrl) -> Emit[UrlDiscovered]:
    key = site_key(target)
    link = DiscoveredLink(
        url=target,
        kind=attempt.kind,
        depth=attempt.depth,
        redirect_hops=attempt.redirect_hops + 1,
    )
    message = UrlDiscovered(
        site_key=key,
        source_url=attempt.url,
        source=DiscoverySource.DISCOVERY_SOURCE_REDIRECT,
        links=[link],
    )
    return Emit(topics.URL_DISCOVERED, key, message)


def _exchange(answer: Answer, trail: Trail, outcome: Outcome) -> Exchange:
    fields: dict[str, bytes] = {}
    for name, value in answer.headers.raw:
        key = _SERVED_FIELDS.get(name.lower())
        if key is not None:
            fields[key] = fields[key] + b", " + value if key in fields else value
    return Exchange(
        status=answer.status,
        request_head=answer.request_head,
        response_head=answer.response_head,
        ip=answer.ip,
        fetched_at_unix_ms=trail.sent_at_wall_ms,
        elapsed_ms=round(trail.elapsed * 1000),
        truncation=answer.truncation,
        location=outcome.target or "",
        **{key: value[:_FIELD_LIMIT].decode("latin-1") for key, value in fields.items()},
    )


def _body(answer: Answer) -> Body:
    coding = served_coding(answer.field("content-encoding"))
    if coding is None:
        raise ValueError("an unknown coding is no page")
    return pack(answer.body, coding, answer.field("content-type"))
