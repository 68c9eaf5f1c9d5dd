"""What is measured: each case does its work once for every page."""

from collections.abc import Callable, Coroutine, Sequence
from hashlib import sha256
from typing import Any, TypeAlias

from nephila_contracts.v1.page_pb2 import CODING_GZIP, Body, Exchange, PageParsed
from nephila_parser import InlinePool, ParseJob, ParseLimits
from nephila_parser.simhash import simhash
from nephila_storage.gzip_member import stored_member
from nephila_storage.memory_seen_set import MemorySeenSet
from nephila_storage.page_store import Capture, Payload, Response
from nephila_storage.warc_records import RECORD_END, records_of
from nephila_urls import CanonicalUrl, PageBase, canonicalise, site_key, url_digest
from pages import Page

Case: TypeAlias = Callable[[], object | Coroutine[Any, Any, object]]

_REQUEST = (
    b"GET / HTTP/1.1\r\nHost: h0.bench.test\r\nUser-Agent: Nephila\r\nAccept-Encoding: gzip\r\n\r\n"
)
_HEAD = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Encoding: gzip\r\n"
    b'ETag: "1"\r\nLast-Modified: Fri, 02 Jan 2026 03:04:05 GMT\r\nServer: bench\r\n\r\n'
)


def of(pages: Sequence[Page]) -> dict[str, Case]:
    """Every case by its name."""
    return {
        **_urls(pages),
        **_seen(pages),
        **_parsing(pages),
        **_archive(pages),
        **_messages(pages),
    }


def _urls(pages: Sequence[Page]) -> dict[str, Case]:
    links = [
        (page.url, [href for href in page.hrefs if href], PageBase(page.url)) for page in pages
    ]
    resolved = [
        [url for url in dict.fromkeys(base.resolve_many(hrefs)) if url] for _, hrefs, base in links
    ]
    return {
        "resolve links of a page": lambda: [
            PageBase(url).resolve_many(hrefs) for url, hrefs, _ in links
        ],
        "canonicalise them one by one": lambda: [
            [canonicalise(href, url) for href in hrefs] for url, hrefs, _ in links
        ],
        "digest of the distinct ones": lambda: [[*map(url_digest, urls)] for urls in resolved],
        "site key of the distinct ones": lambda: [[*map(site_key, urls)] for urls in resolved],
    }


def _seen(pages: Sequence[Page]) -> dict[str, Case]:
    digests = [
        [
            url_digest(url)
            for url in dict.fromkeys(PageBase(page.url).resolve_many(page.hrefs))
            if url
        ]
        for page in pages
    ]
    seen = MemorySeenSet()

    async def ask_and_add() -> None:
        await seen.start_over(0)
        await seen.switch_over()
        for some in digests:
            await seen.probably_seen(some)
            await seen.add(some)

    return {"seen set: ask and add the distinct links": ask_and_add}


def _parsing(pages: Sequence[Page]) -> dict[str, Case]:
    pool = InlinePool(ParseLimits())
    content_type = "text/html; charset=utf-8"
    jobs = [ParseJob(page.url, 0, CODING_GZIP, content_type, "", "", page.packed) for page in pages]
    texts = [page.html.decode()[:19_000] for page in pages]

    async def parse() -> None:
        for job in jobs:
            await pool.parse(job)

    return {
        "parse a page": parse,
        "simhash of 19 KB": lambda: [simhash(text) for text in texts],
    }


def _archive(pages: Sequence[Page]) -> dict[str, Case]:
    captures = [
        Capture(CanonicalUrl(page.url), f"0.{number}", _exchange(), "text/html", _response(page))
        for number, page in enumerate(pages)
    ]

    def records() -> list[bytes]:
        return [
            stored_member(record.head, record.rest + RECORD_END)
            for capture in captures
            for record in records_of(capture)
        ]

    return {"WARC records of a page": records}


def _messages(pages: Sequence[Page]) -> dict[str, Case]:
    messages = [_parsed(page) for page in pages]
    packed = [message.SerializeToString() for message in messages]
    return {
        "PageParsed to bytes": lambda: [message.SerializeToString() for message in messages],
        "PageParsed from bytes": lambda: [PageParsed.FromString(text) for text in packed],
    }


def _exchange() -> Exchange:
    return Exchange(
        status=200,
        request_head=_REQUEST,
        response_head=_HEAD,
        ip="127.0.0.1",
        fetched_at_unix_ms=1_767_323_045_678,
        content_type="text/html; charset=utf-8",
    )


def _response(page: Page) -> Response:
    return Response(Payload(page.packed, sha256(page.packed).digest(), packed=True, decoded=False))


def _parsed(page: Page) -> PageParsed:
    base = PageBase(page.url)
    return PageParsed(
        exchange=_exchange(),
        body=Body(data=page.packed, coding=CODING_GZIP, served_coding=CODING_GZIP),
        content_hash=sha256(page.html).digest(),
        simhash=1,
        mime_type="text/html",
        charset="utf-8",
        title="A page",
        out_links=[url for url in dict.fromkeys(base.resolve_many(page.hrefs)) if url],
        body_bytes=len(page.html),
    )
