"""The step as a whole, on simulated time between a small web and a small DNS."""

import asyncio
import itertools
import zlib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
import zstandard
from nephila_contracts.v1.fetch_pb2 import Attempt, FetchEnd, FetchRequested
from nephila_contracts.v1.page_pb2 import Coding, Truncation
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_contracts.v1.url_pb2 import DiscoverySource, UrlKind, Validators
from nephila_fetcher import DnsFailed, NoSuchHost, Resolved
from nephila_fetcher.exchange import ConnectionRefused, StaleConnection, TlsFailed
from nephila_runtime import Poison, Record


def _answering(
    headers: dict[str, str], body: bytes, status: int = 200, **extensions: Any
) -> Callable[[httpx.Request], httpx.Response]:
    """A response with these raw bytes, whatever its headers say of them."""

    def answer(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(
            status, headers=headers, stream=httpx.ByteStream(body), extensions=extensions
        )

    return answer


_PAGE = "http://a.test/page"
_ROBOTS = "http://a.test/robots.txt"
_FINAL = FetchEnd.FETCH_END_FINAL
_DEFERRED = FetchEnd.FETCH_END_DEFERRED


def _html(text: str = "<p>hello</p>" * 50, **fields: str) -> httpx.Response:
    return httpx.Response(200, headers={"Content-Type": "text/html", **fields}, text=text)


def _robots(text: str) -> httpx.Response:
    return httpx.Response(200, headers={"Content-Type": "text/plain"}, text=text)


def _end(by_topic: Any, emits: Any) -> tuple[Any, Any]:
    """How it ended, and why."""
    (completed,) = by_topic(emits)["fetch_completed"]
    return completed.end, completed.reason


def test_a_page_frees_its_host_and_goes_to_the_parser(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = _html(ETag='"1"', Link="<x>; rel=next")
        return await world.fetch(_PAGE)

    emits = in_world(scenario)
    assert [emit.key for emit in emits] == ["a.test", "a.test"]
    found = by_topic(emits)
    (completed,), (page,) = found["fetch_completed"], found["page_downloaded"]
    assert (completed.end, completed.reason) == (_FINAL, Reason.REASON_FETCHED)
    assert completed.http_status == 200
    assert completed.request_sent
    assert completed.elapsed_ms == 500
    assert page.attempt == completed.attempt
    assert page.exchange.status == 200
    assert page.exchange.content_type == "text/html"
    assert page.exchange.etag == '"1"'
    assert page.exchange.link == "<x>; rel=next"
    assert page.exchange.request_head.startswith(b"GET /page HTTP/1.1\r\nHost: a.test\r\n")
    assert b"User-Agent: Nephila/0.1 (+https://crawler.test/)\r\n" in page.exchange.request_head
    assert page.exchange.response_head.startswith(b"HTTP/1.1 200 OK\r\n")
    assert page.exchange.response_head.endswith(b"\r\n\r\n")
    assert page.body.coding == Coding.CODING_ZSTD
    assert page.body.served_coding == Coding.CODING_UNSPECIFIED
    assert zstandard.decompress(page.body.data) == b"<p>hello</p>" * 50


@pytest.mark.parametrize(
    ("served", "coding"),
    [
        ("gzip", Coding.CODING_GZIP),
        ("x-gzip", Coding.CODING_GZIP),
        ("br", Coding.CODING_BROTLI),
        ("zstd", Coding.CODING_ZSTD),
        ("deflate", Coding.CODING_DEFLATE),
    ],
)
def test_a_packed_body_travels_as_it_came(
    in_world: Any, by_topic: Any, served: str, coding: Coding
) -> None:
    async def scenario(world: Any) -> Any:
        # Bytes that are of no coding at all: nothing here may try to decode them.
        world.web.pages[_PAGE] = _answering({"Content-Encoding": served}, b"\x00not packed")
        return await world.fetch(_PAGE)

    (page,) = by_topic(in_world(scenario))["page_downloaded"]
    assert (page.body.coding, page.body.served_coding) == (coding, coding)
    assert page.body.data == b"\x00not packed"


@pytest.mark.parametrize("served", ["gzip, gzip", "banana", "gzip, br, gzip"])
def test_a_coding_that_nobody_asked_for_is_undecodable(
    in_world: Any, by_topic: Any, served: str
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = _answering({"Content-Encoding": served}, b"x")
        return await world.fetch(_PAGE)

    found = by_topic(in_world(scenario))
    assert "page_downloaded" not in found
    (verdict,) = found["page_parsed"]
    assert verdict.reason == Reason.REASON_UNDECODABLE
    assert not verdict.HasField("body")


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (204, Reason.REASON_FETCHED),
        (304, Reason.REASON_NOT_MODIFIED),
        (404, Reason.REASON_GONE),
        (410, Reason.REASON_GONE),
        (401, Reason.REASON_CLIENT_ERROR),
        (451, Reason.REASON_CLIENT_ERROR),
        (500, Reason.REASON_SERVER_ERROR),
        (502, Reason.REASON_SERVER_ERROR),
        (301, Reason.REASON_BAD_REDIRECT),
        (300, Reason.REASON_BAD_REDIRECT),
    ],
)
def test_an_answer_without_a_page_goes_straight_to_its_verdict(
    in_world: Any, by_topic: Any, status: int, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = httpx.Response(status)
        return await world.fetch(_PAGE)

    found = by_topic(in_world(scenario))
    (completed,), (verdict,) = found["fetch_completed"], found["page_parsed"]
    assert completed.end == _FINAL
    assert completed.reason == verdict.reason == reason
    assert verdict.exchange.status == status
    assert not verdict.HasField("body")


def test_a_redirect_becomes_a_discovered_url_and_its_body_is_left_alone(
    in_world: Any, by_topic: Any
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = httpx.Response(
            302, headers={"Location": "//www.b.test/x#frag"}, content=b"bomb"
        )
        return await world.fetch(_PAGE, redirect_hops=3)

    emits = in_world(scenario)
    found = by_topic(emits)
    (verdict,), (discovered,) = found["page_parsed"], found["url_discovered"]
    assert verdict.reason == Reason.REASON_REDIRECTED
    assert verdict.exchange.location == "http://www.b.test/x"
    assert not verdict.HasField("body")
    assert discovered.site_key == "b.test"
    assert discovered.source == DiscoverySource.DISCOVERY_SOURCE_REDIRECT
    assert discovered.source_url == _PAGE
    (link,) = discovered.links
    assert (link.url, link.depth, link.redirect_hops) == ("http://www.b.test/x", 2, 4)
    assert [emit.key for emit in emits if emit.topic.name == "url_discovered"] == ["b.test"]


@pytest.mark.parametrize(
    "location",
    [
        b"file:///etc/passwd",
        b"ftp://b.test/",
        b"data:text/html,x",
        b"",
        b"#only",
        b"http://[::1%25lo]/",
    ],
)
def test_a_redirect_to_nowhere_ends_there(in_world: Any, by_topic: Any, location: bytes) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = httpx.Response(302, headers=[(b"Location", location)])
        return await world.fetch(_PAGE)

    found = by_topic(in_world(scenario))
    assert "url_discovered" not in found
    assert found["page_parsed"][0].reason == Reason.REASON_BAD_REDIRECT


@pytest.mark.parametrize(
    ("raw", "target"),
    [(b"/caf\xe9", "/caf%E9"), ("/caf\u00e9".encode(), "/caf%C3%A9"), (b"/a b", "/a%20b")],
)
def test_raw_octets_in_a_location_are_escaped_once(
    in_world: Any, by_topic: Any, raw: bytes, target: str
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = httpx.Response(302, headers=[(b"Location", raw)])
        return await world.fetch(_PAGE)

    (discovered,) = by_topic(in_world(scenario))["url_discovered"]
    assert discovered.links[0].url == f"http://a.test{target}"


def test_validators_make_the_request_conditional(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        validators = Validators(etag='W/"x"', last_modified="Mon, 01 Jan 2026 00:00:00 GMT")
        await world.fetch(_PAGE, validators=validators)
        await world.fetch("http://a.test/2", validators=Validators(etag='"x"\r\nEvil: 1'))
        return [request.headers for request in world.web.requests[1:]]

    first, second = in_world(scenario)
    assert first["if-none-match"] == 'W/"x"'
    assert first["if-modified-since"] == "Mon, 01 Jan 2026 00:00:00 GMT"
    assert "if-none-match" not in second
    assert "evil" not in second


def test_no_request_carries_more_than_the_public_fields(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = _html(**{"Set-Cookie": "a=b"})
        await world.fetch(_PAGE)
        await world.fetch("http://a.test/2")
        return [{name for name, _ in request.headers.items()} for request in world.web.requests]

    for names in in_world(scenario):
        assert names == {"host", "user-agent", "accept", "accept-encoding"}


# robots.txt


def test_robots_txt_comes_first_then_the_delay_then_the_page(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = _robots("User-agent: *\nDisallow: /private\n")
        await world.fetch(_PAGE, delay_ms=3000)
        await world.fetch("http://a.test/2", delay_ms=3000)
        return world.web.asked

    assert in_world(scenario) == [
        (0, 0.5, _ROBOTS),
        (3.5, 4.0, _PAGE),
        (7.0, 7.5, "http://a.test/2"),
    ]


def test_a_disallowed_page_is_never_asked_for(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = _robots("User-agent: nephila\nDisallow: /pa\nCrawl-delay: 7\n")
        return await world.fetch(_PAGE), world.web.urls

    emits, asked = in_world(scenario)
    assert asked == [_ROBOTS]
    found = by_topic(emits)
    (completed,), (verdict,) = found["fetch_completed"], found["page_parsed"]
    assert completed.reason == verdict.reason == Reason.REASON_ROBOTS_DISALLOWED
    assert completed.end == _FINAL
    assert completed.crawl_delay_ms == 7000
    assert not verdict.HasField("exchange")


def test_rules_last_for_a_day_at_most(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = _robots("")
        await world.fetch(_PAGE)
        await world.clock.sleep(86_300)
        await world.fetch(_PAGE)
        await world.clock.sleep(200)
        world.web.pages[_ROBOTS] = _robots("User-agent: *\nDisallow: /\n")
        await world.fetch(_PAGE)
        return world.web.urls

    assert in_world(scenario) == [_ROBOTS, _PAGE, _PAGE, _ROBOTS]


def test_each_origin_has_its_own_rules(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        for url in ("http://a.test/", "https://a.test/", "http://a.test:8080/"):
            await world.fetch(url)
        return [url for url in world.web.urls if url.endswith("robots.txt")]

    assert in_world(scenario) == [
        "http://a.test/robots.txt",
        "https://a.test/robots.txt",
        "http://a.test:8080/robots.txt",
    ]


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(500),
        httpx.Response(503),
        httpx.Response(429),
        httpx.ReadTimeout("slow"),
        httpx.RemoteProtocolError("odd"),
        httpx.Response(302, headers={"Location": "https:////"}),
        httpx.Response(200, headers={"Content-Encoding": "br"}, content=b""),
        httpx.Response(
            200,
            content=b"User-agent: *\nDisallow: /x\n",
            extensions={"truncation": Truncation.TRUNCATION_DISCONNECT},
        ),
    ],
    ids=lambda answer: repr(answer)[:40],
)
def test_no_page_is_asked_for_while_robots_txt_is_unreachable(
    in_world: Any, by_topic: Any, answer: Any
) -> None:
    async def scenario(world: Any) -> Any:
        given = answer
        if isinstance(answer, httpx.Response):
            given = _answering(
                dict(answer.headers), b"User-agent: *\n", answer.status_code, **answer.extensions
            )
        world.web.pages[_ROBOTS] = given
        first = await world.fetch(_PAGE)
        second = await world.fetch("http://a.test/2")
        third = await world.fetch("http://a.test/3", tries=2)
        return first, second, third, world.web.urls

    first, second, third, asked = in_world(scenario)
    assert asked == [_ROBOTS]
    for emits, sent in ((first, True), (second, False)):
        (completed,) = by_topic(emits)["fetch_completed"]
        assert (completed.end, completed.reason) == (_DEFERRED, Reason.REASON_ROBOTS_UNREACHABLE)
        assert completed.request_sent == sent
        assert 0 < completed.retry_after_ms <= 60_000
        assert set(by_topic(emits)) == {"fetch_completed"}
    assert by_topic(third)["page_parsed"][0].reason == Reason.REASON_ROBOTS_UNREACHABLE


def test_an_unreachable_robots_txt_is_asked_for_again_with_back_off(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = httpx.Response(500)
        for _ in range(400):
            await world.fetch(_PAGE)
            await world.clock.sleep(1)
        world.web.pages[_ROBOTS] = _robots("")
        await world.clock.sleep(1000)
        await world.fetch(_PAGE)
        return world.web.asked

    asked = in_world(scenario)
    starts = [start for start, _, url in asked if url == _ROBOTS]
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert all(least <= gap < least + 3 for least, gap in zip([5, 10, 20, 40], gaps, strict=False))
    assert len(gaps) >= 4
    assert asked[-1][2] == _PAGE


def test_a_robots_txt_that_asks_for_time_gets_it(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = httpx.Response(503, headers={"Retry-After": "7200"})
        emits = await world.fetch(_PAGE)
        await world.clock.sleep(7000)
        await world.fetch(_PAGE)
        return emits, world.web.urls

    emits, asked = in_world(scenario)
    assert asked == [_ROBOTS]
    assert by_topic(emits)["fetch_completed"][0].retry_after_ms == 7_200_000


def test_robots_txt_is_followed_through_five_redirects_for_its_own_origin(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        hops = [_ROBOTS, *(f"http://b.test/{number}" for number in range(5))]
        for here, there in itertools.pairwise(hops):
            world.web.pages[here] = httpx.Response(301, headers={"Location": there})
        world.web.pages[hops[-1]] = _robots("User-agent: *\nDisallow: /page\n")
        await world.fetch(_PAGE)
        await world.fetch("http://b.test/page")
        return world.web.asked

    asked = in_world(scenario)
    urls = [url for _, _, url in asked]
    assert _PAGE not in urls
    assert urls[-1] == "http://b.test/page"
    of_b = [(start, end) for start, end, url in asked if "//b.test" in url]
    gaps = [later[0] - earlier[1] for earlier, later in itertools.pairwise(of_b)]
    assert min(gaps) >= 1.0


def test_behind_more_redirects_there_is_no_robots_txt(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        def onward(request: httpx.Request) -> httpx.Response:
            return httpx.Response(302, headers={"Location": f"{request.extensions['url']}x"})

        for number in range(8):
            world.web.pages[_ROBOTS + "x" * number] = onward
        await world.fetch(_PAGE)
        return world.web.urls

    asked = in_world(scenario)
    assert len([url for url in asked if "robots" in url]) == 6
    assert asked[-1] == _PAGE


def test_a_robots_txt_packed_with_gzip_is_read_up_to_its_limit(in_world: Any) -> None:
    rules = b"User-agent: *\nDisallow: /page\n"
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = packer.compress(rules + b"\n" * 20_000_000) + packer.flush()

    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = _answering({"Content-Encoding": "gzip"}, bomb)
        await world.fetch(_PAGE)
        return world.web.urls

    assert in_world(scenario) == [_ROBOTS]


def test_sitemaps_of_robots_txt_are_discovered_once_it_is_fetched(
    in_world: Any, by_topic: Any
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = _robots(
            "Sitemap: http://a.test/one.xml\nSitemap: /two.xml\nSitemap: mailto:x\n"
            "Sitemap: https://cdn.other.test/a.xml\nSitemap: http://a.test/robots.txt\n"
            "Sitemap: http://a.test/one.xml\nUser-agent: *\nDisallow: /\n"
        )
        return await world.fetch(_PAGE), await world.fetch("http://a.test/2")

    first, second = in_world(scenario)
    own, other = by_topic(first)["url_discovered"]
    assert own.site_key == "a.test"
    assert own.source == DiscoverySource.DISCOVERY_SOURCE_ROBOTS
    assert own.source_url == _ROBOTS
    assert [link.url for link in own.links] == ["http://a.test/one.xml", "http://a.test/two.xml"]
    assert {link.kind for link in own.links} == {UrlKind.URL_KIND_SITEMAP}
    assert [link.url for link in other.links] == ["https://cdn.other.test/a.xml"]
    assert "url_discovered" not in by_topic(second)


def test_many_sitemaps_go_in_messages_within_their_limits(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        lines = [f"Sitemap: http://a.test/{number:0300d}.xml" for number in range(1200)]
        world.web.pages[_ROBOTS] = _robots("\n".join(lines))
        return await world.fetch(_PAGE)

    messages = by_topic(in_world(scenario))["url_discovered"]
    assert sum(len(message.links) for message in messages) == 1200
    assert max(len(message.links) for message in messages) <= 500
    assert max(message.ByteSize() for message in messages) <= 256 * 1024


def test_a_crawl_delay_too_long_for_the_lease_hands_it_back(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = _robots("User-agent: *\nCrawl-delay: 60\n")
        first = await world.fetch(_PAGE)
        await world.clock.sleep(60)
        return first, await world.fetch(_PAGE, delay_ms=60_000, attempt_id="again"), world.web.urls

    first, second, asked = in_world(scenario)
    (completed,) = by_topic(first)["fetch_completed"]
    assert (completed.end, completed.reason) == (_DEFERRED, Reason.REASON_HANDED_BACK)
    assert completed.retry_after_ms == completed.crawl_delay_ms == 60_000
    assert _end(by_topic, second) == (_FINAL, Reason.REASON_GONE)
    assert asked == [_ROBOTS, _PAGE]


def test_a_short_crawl_delay_is_kept_before_the_page(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = _robots("User-agent: *\nCrawl-delay: 9\n")
        await world.fetch(_PAGE)
        return world.web.asked

    assert in_world(scenario)[1][0] == 9.5
    assert in_world(scenario, obey_crawl_delay=False)[1][0] == 1.5


# Failures


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (httpx.ConnectTimeout("x"), Reason.REASON_TIMED_OUT),
        (httpx.ReadTimeout("x"), Reason.REASON_TIMED_OUT),
        (httpx.ConnectError("x"), Reason.REASON_CONNECTION_FAILED),
        (httpx.ReadError("x"), Reason.REASON_CONNECTION_FAILED),
        (ConnectionRefused("x"), Reason.REASON_CONNECTION_REFUSED),
    ],
)
def test_a_failure_that_may_pass_is_tried_three_times(
    in_world: Any, by_topic: Any, error: Exception, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = error
        return [await world.fetch(_PAGE, tries=tries) for tries in range(3)]

    first, second, third = in_world(scenario)
    for emits in (first, second):
        assert set(by_topic(emits)) == {"fetch_completed"}
        assert _end(by_topic, emits) == (_DEFERRED, reason)
    assert _end(by_topic, third) == (_FINAL, reason)
    assert by_topic(third)["page_parsed"][0].reason == reason


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TlsFailed("x"), Reason.REASON_TLS_FAILED),
        (httpx.RemoteProtocolError("x"), Reason.REASON_PROTOCOL_ERROR),
        (httpx.LocalProtocolError("x"), Reason.REASON_PROTOCOL_ERROR),
    ],
)
def test_a_failure_that_will_not_pass_is_final(
    in_world: Any, by_topic: Any, error: Exception, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = error
        return await world.fetch(_PAGE)

    assert _end(by_topic, in_world(scenario)) == (_FINAL, reason)


@pytest.mark.parametrize(
    ("error", "end", "reason"),
    [
        (ConnectionRefused("x"), _DEFERRED, Reason.REASON_CONNECTION_REFUSED),
        (TlsFailed("x"), _FINAL, Reason.REASON_TLS_FAILED),
    ],
)
def test_a_host_that_cannot_be_reached_is_told_as_it_is_not_as_robots(
    in_world: Any, by_topic: Any, error: Exception, end: FetchEnd, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_ROBOTS] = error
        return await world.fetch(_PAGE), await world.fetch("http://a.test/2"), world.web.urls

    first, second, asked = in_world(scenario)
    assert asked == [_ROBOTS]
    assert _end(by_topic, first) == _end(by_topic, second) == (end, reason)


@pytest.mark.parametrize(
    ("answer", "end", "reason"),
    [
        (NoSuchHost("x"), _FINAL, Reason.REASON_NO_SUCH_HOST),
        (DnsFailed("x"), _DEFERRED, Reason.REASON_DNS_FAILED),
        (Resolved(("127.0.0.1", "::1", "10.0.0.1"), 60), _FINAL, Reason.REASON_ADDRESS_FORBIDDEN),
    ],
)
def test_a_name_that_leads_nowhere_gets_no_request(
    in_world: Any, by_topic: Any, answer: Any, end: FetchEnd, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.dns.answers["a.test"] = answer
        return await world.fetch(_PAGE), world.web.urls

    emits, asked = in_world(scenario)
    assert asked == []
    assert _end(by_topic, emits) == (end, reason)
    assert not by_topic(emits)["fetch_completed"][0].request_sent


def test_a_forbidden_address_among_others_is_never_a_destination(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.dns.answers["a.test"] = Resolved(("127.0.0.1", "8.8.8.8", "::1"), 60)
        await world.fetch(_PAGE)
        return [request.extensions["destination"].addresses for request in world.web.requests]

    assert set(in_world(scenario)) == {("8.8.8.8",)}


def test_a_name_that_turns_to_loopback_is_not_followed_there(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        await world.fetch(_PAGE)
        world.dns.answers["a.test"] = Resolved(("127.0.0.1",), 0)
        await world.clock.sleep(3601)
        emits = await world.fetch("http://a.test/2")
        return emits, world.web.urls

    emits, asked = in_world(scenario)
    assert asked == [_ROBOTS, _PAGE]
    assert _end(by_topic, emits) == (_FINAL, Reason.REASON_ADDRESS_FORBIDDEN)


@pytest.mark.parametrize(
    ("truncation", "end", "reason"),
    [
        (Truncation.TRUNCATION_LENGTH, _FINAL, Reason.REASON_FETCHED),
        (Truncation.TRUNCATION_TIME, _DEFERRED, Reason.REASON_TIMED_OUT),
        (Truncation.TRUNCATION_DISCONNECT, _DEFERRED, Reason.REASON_CONNECTION_FAILED),
    ],
)
def test_a_body_that_is_not_whole_is_no_page_unless_it_was_only_long(
    in_world: Any, by_topic: Any, truncation: Truncation, end: FetchEnd, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = httpx.Response(
            200, content=b"half", extensions={"truncation": truncation, "wire_body": b"half"}
        )
        return await world.fetch(_PAGE)

    emits = in_world(scenario)
    assert _end(by_topic, emits) == (end, reason)
    pages = by_topic(emits).get("page_downloaded", [])
    assert [page.exchange.truncation for page in pages] == ([truncation] if end == _FINAL else [])


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("value", "wait_ms"),
    [
        ("120", 120_000),
        ("-5", 0),
        ("1.5", 0),
        ("", 0),
        ("9" * 30, 7 * 86_400_000),
        ("Thu, 01 Jan 2026 00:10:01 GMT", 600_000),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ],
)
def test_a_server_that_asks_for_rest_is_put_off_without_counting(
    in_world: Any, by_topic: Any, status: int, value: str, wait_ms: int
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = httpx.Response(status, headers={"Retry-After": value})
        return await world.fetch(_PAGE, tries=7, delay_ms=500)

    emits = in_world(scenario)
    assert set(by_topic(emits)) == {"fetch_completed"}
    (completed,) = by_topic(emits)["fetch_completed"]
    assert (completed.end, completed.reason) == (_DEFERRED, Reason.REASON_BACKED_OFF)
    # The page is asked for one second after the start of simulated wall time.
    assert completed.retry_after_ms == wait_ms


def test_a_stale_connection_is_tried_once_more_after_the_delay(
    in_world: Any, by_topic: Any
) -> None:
    async def scenario(world: Any) -> Any:
        failures = [StaleConnection("x")]

        def page(_request: httpx.Request) -> httpx.Response:
            if failures:
                raise failures.pop()
            return _html()

        world.web.pages[_PAGE] = page
        return await world.fetch(_PAGE), world.web.asked

    emits, asked = in_world(scenario)
    assert _end(by_topic, emits) == (_FINAL, Reason.REASON_FETCHED)
    assert [start for start, _, _ in asked] == [0, 1.5, 3.0]


def test_a_connection_that_is_always_stale_counts_as_odd(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[_PAGE] = StaleConnection("x")
        return await world.fetch(_PAGE), len(world.web.urls)

    emits, asked = in_world(scenario)
    assert asked == 3
    assert _end(by_topic, emits) == (_DEFERRED, Reason.REASON_CONNECTION_FAILED)


# Leases


def test_the_wait_of_a_lease_is_kept_and_the_name_is_looked_up_meanwhile(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        await world.fetch(_PAGE, wait_ms=4000)
        return world.web.asked, world.dns.asked

    asked, names = in_world(scenario)
    assert asked[0][0] == 4.0
    assert names == ["a.test"]


def test_no_fetch_takes_longer_than_the_longest(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        async def never(_request: httpx.Request) -> httpx.Response:
            await world.clock.sleep(1e9)
            return _html()

        world.web.pages[_PAGE] = never
        emits = await world.fetch(_PAGE, wait_ms=10_000)
        return emits, world.clock.now()

    emits, now = in_world(scenario, longest_fetch=timedelta(seconds=50))
    assert now == 60
    assert _end(by_topic, emits) == (_DEFERRED, Reason.REASON_TIMED_OUT)
    assert by_topic(emits)["fetch_completed"][0].request_sent


def test_a_copy_of_an_attempt_is_dropped(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        first = await world.fetch(_PAGE, attempt_id="7.1", sequence=1)
        return first, await world.fetch(_PAGE, attempt_id="7.1", sequence=1)

    first, copy = in_world(scenario)
    assert len(first) == 2
    assert copy == []


def test_an_attempt_of_an_epoch_that_is_over_is_dropped(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        old = (4 << 40) + 99
        new = (5 << 40) + 1
        return [
            await world.fetch(_PAGE, sequence=new),
            await world.fetch("http://a.test/2", sequence=old),
            await world.fetch("http://a.test/3", sequence=old, partition=1),
        ]

    new, old, elsewhere = in_world(scenario)
    assert len(new) == 2
    assert old == []
    assert len(elsewhere) == 2


@pytest.mark.parametrize("reason", [Reason.REASON_BLOCKLISTED, Reason.REASON_PAUSED])
def test_what_is_not_permitted_now_is_put_off_unasked(
    in_world: Any, by_topic: Any, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        return await world.fetch(_PAGE, tries=9), world.web.urls

    def refuse(_attempt: Attempt) -> Reason:
        return reason

    emits, asked = in_world(scenario, permission=refuse)
    assert asked == []
    assert _end(by_topic, emits) == (_DEFERRED, reason)


def test_a_revoked_partition_gives_its_open_fetches_back(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        taken = asyncio.create_task(world.fetch(_PAGE, partition=1))
        kept = asyncio.create_task(world.fetch("http://b.test/", partition=2))
        await world.clock.sleep(1.7)
        await world.service.revoked((1,))
        given_back = await taken
        assert world.clock.now() < 1.8
        again = await world.fetch(_PAGE, partition=1, attempt_id="0.1", sequence=1)
        return given_back, await kept, again

    given_back, kept, again = in_world(scenario)
    assert set(by_topic(given_back)) == {"fetch_completed"}
    assert _end(by_topic, given_back) == (_DEFERRED, Reason.REASON_HANDED_BACK)
    assert _end(by_topic, kept) == (_FINAL, Reason.REASON_GONE)
    assert _end(by_topic, again) == (_FINAL, Reason.REASON_GONE)


@pytest.mark.parametrize("url", ["", "gopher://a.test/", "http://a.test", "http://evil.test/"])
def test_a_lease_without_sense_is_poison_and_still_frees_its_host(
    in_world: Any, by_topic: Any, url: str
) -> None:
    async def scenario(world: Any) -> Any:
        attempt = Attempt(url=url, site_key="a.test", host="a.test", attempt_id="0.1", sequence=1)
        record = Record(0, 1, "a.test", FetchRequested(attempt=attempt))
        step = world.service.steps[0]
        with pytest.raises(Poison):
            await step.handle([record])
        return step.on_dead(record, "a cause")

    emits = in_world(scenario)
    assert _end(by_topic, emits) == (_FINAL, Reason.REASON_POISONED)
    assert by_topic(emits)["page_parsed"][0].reason == Reason.REASON_POISONED


def test_the_same_fetches_end_the_same_way_each_time(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        for number in range(20):
            world.web.pages[f"http://{number}.test/"] = _html()
        fetches = (world.fetch(f"http://{number}.test/") for number in range(20))
        emits = [emit for each in await asyncio.gather(*fetches) for emit in each]
        return [(emit.topic.name, emit.message.SerializeToString()) for emit in emits]

    assert in_world(scenario) == in_world(scenario)
