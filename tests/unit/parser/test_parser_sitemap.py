"""Sitemaps give the entries that crawler-commons finds, before the damage too, and open nothing."""

import base64
import gzip
import json
from typing import Any

import pytest
from nephila_contracts.v1.reason_pb2 import REASON_FETCHED
from nephila_contracts.v1.url_pb2 import (
    DISCOVERY_SOURCE_FEED,
    DISCOVERY_SOURCE_SITEMAP,
    URL_KIND_SITEMAP,
    URL_KIND_UNSPECIFIED,
)
from nephila_parser.content_types import parse_page
from nephila_parser.page import ParsedPage, ParseJob, ParseLimits
from nephila_parser.timestamps import rfc_822_ms, w3c_ms
from nephila_testkit import shared_data
from nephila_urls import UrlRefused, canonicalise

HEAD = b"<?xml version='1.0' encoding='UTF-8'?>\n<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>"


def page_of(body: bytes, limits: ParseLimits | None = None, **fields: Any) -> ParsedPage:
    job = ParseJob(
        url=fields.get("url", "http://www.example.com/sitemap.xml"),
        kind=fields.get("kind", URL_KIND_SITEMAP),
        coding=0,
        content_type=fields.get("content_type", "text/xml"),
        x_robots_tag="",
        link="",
        body=body,
    )
    return parse_page(job, limits or ParseLimits())


def test_an_entry_gives_its_url_and_its_hints() -> None:
    page = page_of(
        HEAD + b"<url><loc> http://www.example.com/a?b&amp;c </loc><lastmod>2024-05-01</lastmod>"
        b"<priority>0.8</priority></url><url><loc><![CDATA[http://www.example.com/b]]></loc></url></urlset>"
    )
    assert (page.reason, page.source) == (REASON_FETCHED, DISCOVERY_SOURCE_SITEMAP)
    assert page.links.urls == ["http://www.example.com/a?b&c", "http://www.example.com/b"]
    assert page.links.lastmods_unix_ms == [1_714_521_600_000, 0]
    assert page.links.priorities == [0.8, 0.0]


def test_an_index_gives_sitemaps() -> None:
    page = page_of(
        b"<sitemapindex><sitemap><loc>http://www.example.com/1.xml</loc></sitemap></sitemapindex>"
    )
    assert page.links.kinds == [URL_KIND_SITEMAP]


def test_a_sitemap_is_known_by_its_root_wherever_it_is_met() -> None:
    page = page_of(
        HEAD + b"<url><loc>http://a.example/</loc></url></urlset>", kind=URL_KIND_UNSPECIFIED
    )
    assert page.source == DISCOVERY_SOURCE_SITEMAP
    assert page.links.urls == ["http://a.example/"]


def test_gzip_is_undone_whatever_it_is_called() -> None:
    packed = gzip.compress(HEAD + b"<url><loc>http://a.example/</loc></url></urlset>")
    for content_type in (
        "application/gzip",
        "application/x-gzip",
        "text/xml",
        "",
        "application/octet-stream",
    ):
        assert page_of(packed, content_type=content_type).links.urls == ["http://a.example/"]


def test_entries_before_the_damage_count() -> None:
    whole = HEAD + b"".join(b"<url><loc>http://a.example/%d</loc></url>" % n for n in range(1000))
    assert len(page_of(whole).links.urls) == 1000
    assert len(page_of(whole + b"<url><loc>http://a.example/cut").links.urls) >= 1000
    assert len(page_of(whole[: len(whole) // 2]).links.urls) >= 499
    packed = gzip.compress(whole)
    assert len(page_of(packed[: len(packed) // 2]).links.urls) > 300


def test_no_more_entries_than_a_sitemap_may_have() -> None:
    many = HEAD + b"".join(b"<url><loc>http://a.example/%d</loc></url>" % n for n in range(60_000))
    assert len(page_of(many).links.urls) == 50_000


def test_a_bomb_in_a_sitemap_ends_at_its_limit() -> None:
    bomb = gzip.compress(HEAD + b"<url><loc>http://a.example/</loc></url>" + b" " * 80_000_000)
    assert page_of(bomb).links.urls == ["http://a.example/"]


def test_external_entities_are_never_read(tmp_path: Any) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("http://leaked.example/")
    page = page_of(
        f"<?xml version='1.0'?><!DOCTYPE urlset [<!ENTITY x SYSTEM '{secret.as_uri()}'>"
        f"<!ENTITY % p SYSTEM '{secret.as_uri()}'> %p; ]>"
        "<urlset><url><loc>&x;</loc></url><url><loc>http://a.example/</loc></url></urlset>".encode()
    )
    assert not any("leaked" in url for url in page.links.urls)


def test_entities_that_swell_cost_nothing() -> None:
    laughs = "".join(f"<!ENTITY l{n} '{f'&l{n - 1};' * 10}'>" for n in range(1, 12))
    body = f"<!DOCTYPE u [<!ENTITY l0 'lol'>{laughs}]><urlset><url><loc>http://a.example/&l11;</loc></url></urlset>"
    page = page_of(b"<?xml version='1.0'?>" + body.encode())
    assert page.reason == REASON_FETCHED
    assert sum(map(len, page.links.urls)) < 1000


def test_five_megabytes_of_an_open_tag_take_no_time() -> None:
    assert page_of(HEAD + b"<loc " * 1_000_000).reason == REASON_FETCHED


def _cases() -> list[dict[str, Any]]:
    packed = shared_data.path("sitemaps/crawlercommons_parse.jsonl.gz").read_bytes()
    return [json.loads(line) for line in gzip.decompress(packed).splitlines()]


def _canonical(text: str) -> str | None:
    try:
        return canonicalise(text)
    except UrlRefused:
        return None


def test_entries_are_those_of_crawler_commons() -> None:
    wrong: list[Any] = []
    for case in _cases():
        if "error" in case:
            continue
        body = base64.b64decode(case["body_b64"]) if "body_b64" in case else case["body"].encode()
        page = page_of(body, url=case["url"], content_type=case["content_type"])
        expected = {_canonical(entry["loc"]) for entry in case["entries"]} - {None}
        if not expected <= set(page.links.urls):
            wrong.append(
                (case["test"], case["url"], case["type"], expected, page.links.urls, body[:1500])
            )
    assert wrong == []


def test_dates_are_those_of_crawler_commons() -> None:
    wrong: list[Any] = []
    for case in _cases():
        if "error" in case or case["type"] not in ("XML", "INDEX"):
            continue
        body = base64.b64decode(case["body_b64"]) if "body_b64" in case else case["body"].encode()
        page = page_of(body, url=case["url"], content_type=case["content_type"])
        dates = page.links.lastmods_unix_ms or [0] * len(page.links.urls)
        ours = dict(zip(page.links.urls, dates, strict=True))
        for entry in case["entries"]:
            url = _canonical(entry["loc"])
            if entry["lastmod_ms"] and url in ours and ours[url] != entry["lastmod_ms"]:
                wrong.append((case["test"], entry, ours[url], body[:1500]))
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2004-12-23T18:00:15+00:00", 1_103_824_815_000),
        ("2005-01-01", 1_104_537_600_000),
        ("2005-01", 1_104_537_600_000),
        ("2005", 1_104_537_600_000),
        ("2004-12-23T18:00:15Z", 1_103_824_815_000),
        ("1960-01-01", 0),
        ("yesterday", 0),
        ("9999-99-99", 0),
        ("", 0),
    ],
)
def test_w3c_dates(text: str, expected: int) -> None:
    assert w3c_ms(text) == expected


def test_dates_of_rss() -> None:
    assert rfc_822_ms("Mon, 06 Sep 2010 00:01:00 +0000 ") == 1_283_731_260_000
    assert rfc_822_ms("2010-09-06T00:01:00Z") == 1_283_731_260_000
    assert rfc_822_ms("Mon, 99 Foo 2010") == 0
    assert rfc_822_ms("") == 0


def test_a_feed_may_be_a_sitemap() -> None:
    page = page_of(b"<rss><channel><item><link>http://a.example/1</link></item></channel></rss>")
    assert page.source == DISCOVERY_SOURCE_FEED
    assert page.links.urls == ["http://a.example/1"]
