"""The fetch step: what each answer becomes."""

from typing import Any

import httpx
import pytest
import zstandard
from fetch_scenarios import FINAL, PAGE, answering, html
from nephila_contracts.v1.page_pb2 import Coding
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_contracts.v1.url_pb2 import DiscoverySource, Validators


def test_a_page_frees_its_host_and_goes_to_the_parser(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[PAGE] = html(ETag='"1"', Link="<x>; rel=next")
        return await world.fetch(PAGE)

    emits = in_world(scenario)
    assert [emit.key for emit in emits] == ["a.test", "a.test"]
    found = by_topic(emits)
    (completed,), (page,) = found["fetch_completed"], found["page_downloaded"]
    assert (completed.end, completed.reason) == (FINAL, Reason.REASON_FETCHED)
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
        world.web.pages[PAGE] = answering({"Content-Encoding": served}, b"\x00not packed")
        return await world.fetch(PAGE)

    (page,) = by_topic(in_world(scenario))["page_downloaded"]
    assert (page.body.coding, page.body.served_coding) == (coding, coding)
    assert page.body.data == b"\x00not packed"


@pytest.mark.parametrize("served", ["gzip, gzip", "banana", "gzip, br, gzip"])
def test_a_coding_that_nobody_asked_for_is_undecodable(
    in_world: Any, by_topic: Any, served: str
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[PAGE] = answering({"Content-Encoding": served}, b"x")
        return await world.fetch(PAGE)

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
        world.web.pages[PAGE] = httpx.Response(status)
        return await world.fetch(PAGE)

    found = by_topic(in_world(scenario))
    (completed,), (verdict,) = found["fetch_completed"], found["page_parsed"]
    assert completed.end == FINAL
    assert completed.reason == verdict.reason == reason
    assert verdict.exchange.status == status
    assert not verdict.HasField("body")


def test_a_redirect_becomes_a_discovered_url_and_its_body_is_left_alone(
    in_world: Any, by_topic: Any
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[PAGE] = httpx.Response(
            302, headers={"Location": "//www.b.test/x#frag"}, content=b"bomb"
        )
        return await world.fetch(PAGE, redirect_hops=3)

    emits = in_world(scenario)
    found = by_topic(emits)
    (verdict,), (discovered,) = found["page_parsed"], found["url_discovered"]
    assert verdict.reason == Reason.REASON_REDIRECTED
    assert verdict.exchange.location == "http://www.b.test/x"
    assert not verdict.HasField("body")
    assert discovered.site_key == "b.test"
    assert discovered.source == DiscoverySource.DISCOVERY_SOURCE_REDIRECT
    assert discovered.source_url == PAGE
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
        world.web.pages[PAGE] = httpx.Response(302, headers=[(b"Location", location)])
        return await world.fetch(PAGE)

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
        world.web.pages[PAGE] = httpx.Response(302, headers=[(b"Location", raw)])
        return await world.fetch(PAGE)

    (discovered,) = by_topic(in_world(scenario))["url_discovered"]
    assert discovered.links[0].url == f"http://a.test{target}"


def test_validators_make_the_request_conditional(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        validators = Validators(etag='W/"x"', last_modified="Mon, 01 Jan 2026 00:00:00 GMT")
        await world.fetch(PAGE, validators=validators)
        await world.fetch("http://a.test/2", validators=Validators(etag='"x"\r\nEvil: 1'))
        return [request.headers for request in world.web.requests[1:]]

    first, second = in_world(scenario)
    assert first["if-none-match"] == 'W/"x"'
    assert first["if-modified-since"] == "Mon, 01 Jan 2026 00:00:00 GMT"
    assert "if-none-match" not in second
    assert "evil" not in second


def test_no_request_carries_more_than_the_public_fields(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[PAGE] = html(**{"Set-Cookie": "a=b"})
        await world.fetch(PAGE)
        await world.fetch("http://a.test/2")
        return [{name for name, _ in request.headers.items()} for request in world.web.requests]

    for names in in_world(scenario):
        assert names == {"host", "user-agent", "accept", "accept-encoding"}
