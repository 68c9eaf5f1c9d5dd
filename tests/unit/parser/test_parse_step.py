"""One answer in; its page, its new links and its edges out, whatever becomes of the parse."""

import asyncio
import hashlib
from typing import Any

import zstandard
from nephila_contracts import topics
from nephila_contracts.v1.fetch_pb2 import Attempt
from nephila_contracts.v1.links_pb2 import PageLinks
from nephila_contracts.v1.page_pb2 import CODING_ZSTD, Body, Exchange, PageDownloaded, PageParsed
from nephila_contracts.v1.reason_pb2 import (
    REASON_FETCHED,
    REASON_NOT_PARSED,
    REASON_PARSER_CRASHED,
    REASON_POISONED,
    REASON_UNDECODABLE,
)
from nephila_contracts.v1.url_pb2 import (
    DISCOVERY_SOURCE_LINK,
    DISCOVERY_SOURCE_SITEMAP,
    URL_KIND_SITEMAP,
    UrlDiscovered,
)
from nephila_parser import (
    InlinePool,
    ParsedPage,
    ParseJob,
    ParseLimits,
    ParserSettings,
    build_parser,
)
from nephila_parser.parse import Parse
from nephila_parser.recent_links import RecentLinks
from nephila_runtime import Handled, Record

SITEMAP_HEAD = "<?xml version='1.0'?><urlset>"


def downloaded(html: str, **fields: Any) -> PageDownloaded:
    return PageDownloaded(
        attempt=Attempt(
            url=fields.get("url", "http://www.site.example/p"),
            site_key="site.example",
            host="www.site.example",
            attempt_id="3.77",
            sequence=77,
            depth=fields.get("depth", 1),
            kind=fields.get("kind", 0),
            redirect_hops=fields.get("redirect_hops", 0),
        ),
        exchange=Exchange(
            status=200,
            content_type=fields.get("content_type", "text/html"),
            response_head=b"HTTP/1.1 200",
        ),
        body=fields.get("body") or Body(data=html.encode(), coding=fields.get("coding", 0)),
    )


class Run:
    """The step over an inline pool, with what it emitted by topic."""

    def __init__(self, pool: Any = None) -> None:
        self.step = Parse(pool or InlinePool(ParseLimits()), RecentLinks(1024))

    def handle(self, message: PageDownloaded) -> Handled:
        return asyncio.run(self.step.handle([Record(0, 5, "site.example", message)]))

    def after(self, handled: Handled) -> None:
        asyncio.run(self.step.after(handled.learned))


def parsed_of(handled: Handled) -> PageParsed:
    (emit,) = [emit for emit in handled.emits if emit.topic is topics.PAGE_PARSED]
    assert emit.key == "site.example"
    return emit.message


def discovered_of(handled: Handled) -> list[UrlDiscovered]:
    emits = [emit for emit in handled.emits if emit.topic is topics.URL_DISCOVERED]
    assert all(emit.key == emit.message.site_key for emit in emits)
    return [emit.message for emit in emits]


def urls_of(handled: Handled) -> list[str]:
    return [link.url for message in discovered_of(handled) for link in message.links]


def edges_of(handled: Handled) -> list[PageLinks]:
    return [emit.message for emit in handled.emits if emit.topic is topics.LINK_GRAPH]


def test_a_dull_page_that_came_unpacked_is_no_bomb() -> None:
    text = b"<title>Dull</title>" + b"<p>all the same</p>\n" * 200_000
    packed = zstandard.compress(text, 1)
    assert len(text) > 1_000 * len(packed)
    ours = downloaded("", body=Body(data=packed, coding=CODING_ZSTD))
    page = parsed_of(Run().handle(ours))
    assert (page.body_cut, page.content_hash) == (False, hashlib.sha256(text).digest())
    served = Body(data=packed, coding=CODING_ZSTD, served_coding=CODING_ZSTD)
    assert parsed_of(Run().handle(downloaded("", body=served))).body_cut


def test_a_page_gives_its_parse_its_links_by_site_and_its_edges() -> None:
    handled = Run().handle(
        downloaded(
            "<title>T</title><a href=/a>A</a><a href=http://b.other.example/>B</a>"
            "<a href=http://site.example/c rel=ugc>C</a>"
        )
    )
    page = parsed_of(handled)
    assert (page.reason, page.title, page.attempt.attempt_id) == (REASON_FETCHED, "T", "3.77")
    assert list(page.out_links) == [
        "http://www.site.example/a",
        "http://b.other.example/",
        "http://site.example/c",
    ]
    assert page.exchange.response_head == b"HTTP/1.1 200"
    own, other = discovered_of(handled)
    assert (own.site_key, other.site_key) == ("site.example", "other.example")
    assert [link.url for link in own.links] == [
        "http://www.site.example/a",
        "http://site.example/c",
    ]
    assert (own.source, own.source_url) == (DISCOVERY_SOURCE_LINK, "http://www.site.example/p")
    assert {link.depth for link in own.links} == {2}
    assert (own.links[1].anchor, own.links[1].rel) == ("C", "ugc")
    (edges,) = edges_of(handled)
    assert edges.sequence == 77
    assert list(edges.target_urls) == list(page.out_links)


def test_the_body_is_passed_on_as_it_came() -> None:
    message = downloaded("<p>x")
    assert parsed_of(Run().handle(message)).body == message.body


def test_links_published_lately_are_not_published_again_but_stay_out_links() -> None:
    run = Run()
    first = run.handle(downloaded("<a href=/a><a href=/b>"))
    run.after(first)
    second = run.handle(downloaded("<a href=/a><a href=/c>"))
    assert urls_of(second) == ["http://www.site.example/c"]
    assert len(parsed_of(second).out_links) == 2


def test_links_are_remembered_only_once_their_message_is_durable() -> None:
    run = Run()
    run.handle(downloaded("<a href=/a>"))
    assert urls_of(run.handle(downloaded("<a href=/a>"))) == ["http://www.site.example/a"]


def test_a_link_met_nearer_to_a_seed_is_published_again() -> None:
    run = Run()
    run.after(run.handle(downloaded("<a href=/a>", depth=7)))
    assert urls_of(run.handle(downloaded("<a href=/a>", depth=8))) == []
    assert urls_of(run.handle(downloaded("<a href=/a>", depth=3))) == ["http://www.site.example/a"]


def test_links_not_vouched_for_are_out_links_and_not_discovered() -> None:
    handled = Run().handle(downloaded("<a href=/a rel=nofollow>x</a><a href=/b>y</a>"))
    assert urls_of(handled) == ["http://www.site.example/b"]
    assert len(parsed_of(handled).out_links) == 2
    handled = Run().handle(downloaded("<meta name=robots content=nofollow><a href=/b>y</a>"))
    assert urls_of(handled) == []
    assert parsed_of(handled).directives.nofollow


def test_a_hint_goes_out_however_lately_its_url_did() -> None:
    run = Run()
    entry = "<url><loc>http://www.site.example/a</loc>{}</url></urlset>"
    for lastmod in ("<lastmod>2024-05-01</lastmod>", "<lastmod>2024-05-02</lastmod>"):
        handled = run.handle(
            downloaded(SITEMAP_HEAD + entry.format(lastmod), kind=URL_KIND_SITEMAP)
        )
        assert urls_of(handled) == ["http://www.site.example/a"]
        run.after(handled)
    handled = run.handle(downloaded(SITEMAP_HEAD + entry.format(""), kind=URL_KIND_SITEMAP))
    assert urls_of(handled) == []


def test_a_sitemap_remembers_how_many_indexes_stand_above_it() -> None:
    index = (
        "<sitemapindex><sitemap><loc>http://www.site.example/1.xml</loc></sitemap></sitemapindex>"
    )
    handled = Run().handle(downloaded(index, kind=URL_KIND_SITEMAP, redirect_hops=3))
    ((link,),) = [message.links for message in discovered_of(handled)]
    assert (link.kind, link.redirect_hops) == (URL_KIND_SITEMAP, 4)
    page = SITEMAP_HEAD + "<url><loc>http://www.site.example/a</loc></url></urlset>"
    handled = Run().handle(downloaded(page, kind=URL_KIND_SITEMAP, redirect_hops=3))
    ((link,),) = [message.links for message in discovered_of(handled)]
    assert link.redirect_hops == 0


def test_a_sitemap_s_entries_are_no_out_links_and_fill_many_messages() -> None:
    entries = "".join(f"<url><loc>http://www.site.example/{n}</loc></url>" for n in range(1_201))
    handled = Run().handle(downloaded(SITEMAP_HEAD + entries + "</urlset>", kind=URL_KIND_SITEMAP))
    assert [len(message.links) for message in discovered_of(handled)] == [500, 500, 201]
    assert {message.source for message in discovered_of(handled)} == {DISCOVERY_SOURCE_SITEMAP}
    assert list(parsed_of(handled).out_links) == []
    assert edges_of(handled) == []


def test_a_message_of_links_stays_below_its_limit_in_bytes() -> None:
    long = "".join(f"<a href=/{n}{'x' * 1900}>{'ü' * 200}</a>" for n in range(400))
    messages = discovered_of(Run().handle(downloaded(long)))
    assert sum(len(message.links) for message in messages) == 400
    assert max(message.ByteSize() for message in messages) <= 256_000


def test_what_nobody_reads_is_passed_on_with_its_hash() -> None:
    page = parsed_of(Run().handle(downloaded("\x89PNG", content_type="image/png")))
    assert (page.reason, page.mime_type) == (REASON_NOT_PARSED, "image/png")
    assert len(page.content_hash) == 32
    assert page.body_bytes > 0


def test_a_body_that_is_not_in_its_coding_is_told() -> None:
    page = parsed_of(Run().handle(downloaded("no gzip at all", coding=1)))
    assert page.reason == REASON_UNDECODABLE
    assert page.body_cut


class CrashingPool:
    """What a pool of processes answers for a page that kills them."""

    async def parse(self, job: ParseJob) -> ParsedPage:
        return ParsedPage(REASON_PARSER_CRASHED, content_hash=b"h" * 32)


def test_a_page_that_kills_its_parser_gets_its_verdict_and_its_bytes() -> None:
    message = downloaded("<a href=/a>")
    handled = Run(CrashingPool()).handle(message)
    page = parsed_of(handled)
    assert (page.reason, page.content_hash, page.body) == (
        REASON_PARSER_CRASHED,
        b"h" * 32,
        message.body,
    )
    assert len(handled.emits) == 1


def test_a_poisoned_page_gets_its_verdict() -> None:
    (emit,) = Run().step.on_dead(Record(0, 5, "site.example", downloaded("x")), "broken")
    assert emit.message.reason == REASON_POISONED


def test_pages_do_not_wait_for_each_other() -> None:
    service = build_parser(ParserSettings(workers=3, pages_a_worker=4), InlinePool(ParseLimits()))
    (step,) = service.steps
    order: Any = step.order
    assert order.under_way == 12
    message = PageDownloaded()
    places = [(0, 1), (0, 2), (1, 1)]
    records = [Record(partition, offset, "k", message) for partition, offset in places]
    assert len({order.key(record) for record in records}) == 3
