"""What an HTML page says is found as browsers would find it."""

import json
from typing import Any

import pytest
import zstandard
from nephila_contracts.v1.reason_pb2 import REASON_FETCHED
from nephila_contracts.v1.url_pb2 import URL_KIND_FEED, URL_KIND_SITEMAP, URL_KIND_UNSPECIFIED
from nephila_parser.content_types import parse_page
from nephila_parser.directives import Directive
from nephila_parser.page import ParsedPage, ParseJob, ParseLimits
from nephila_testkit import shared_data
from nephila_urls import canonicalise

URL = "http://site.example/dir/page"


def page_of(html: str | bytes, limits: ParseLimits | None = None, **fields: Any) -> ParsedPage:
    body = html if isinstance(html, bytes) else html.encode()
    job = ParseJob(
        url=fields.get("url", URL),
        kind=0,
        coding=0,
        content_type=fields.get("content_type", "text/html; charset=utf-8"),
        x_robots_tag=fields.get("x_robots_tag", ""),
        link=fields.get("link", ""),
        body=body,
    )
    return parse_page(job, limits or ParseLimits())


def text_of(page: ParsedPage) -> str:
    return zstandard.decompress(page.text_zstd).decode() if page.text_zstd else ""


def test_links_are_canonical_distinct_and_in_the_page_s_order() -> None:
    page = page_of(
        "<a href='/b#x'>B</a><a href=../a>A</a><a href='HTTP://Other.Example:80/'>O</a>"
        "<a href=/b>again</a><a href='mailto:x@y'>m</a><a href='javascript:void(0)'>j</a><a>none</a>"
    )
    links = page.links
    assert links.urls == ["http://site.example/b", "http://site.example/a", "http://other.example/"]
    assert links.anchors == ["B", "A", "O"]
    assert [links.site_keys[at] for at in links.site_of] == [
        "site.example",
        "site.example",
        "other.example",
    ]
    assert len(links.digests) == 16 * 3


def test_every_kind_of_link_to_a_page_counts_and_resources_do_not() -> None:
    page = page_of(
        "<head><link rel=next href=/next><link rel=canonical href=/canon><link rel=stylesheet href=/css>"
        "<link rel=alternate hreflang=de href=/de><link rel=alternate type=application/rss+xml href=/rss>"
        "<link rel=alternate type=application/json href=/oembed><link rel=sitemap href=/map.xml>"
        "<meta http-equiv=refresh content='5; url=/refreshed'></head>"
        "<map><area href=/area></map><iframe src=/frame></iframe><img src=/img><script src=/js></script>"
    )
    paths = dict(zip([url[19:] for url in page.links.urls], page.links.kinds, strict=True))
    assert paths == {
        "/next": URL_KIND_UNSPECIFIED,
        "/canon": URL_KIND_UNSPECIFIED,
        "/de": URL_KIND_UNSPECIFIED,
        "/rss": URL_KIND_FEED,
        "/map.xml": URL_KIND_SITEMAP,
        "/refreshed": URL_KIND_UNSPECIFIED,
        "/area": URL_KIND_UNSPECIFIED,
        "/frame": URL_KIND_UNSPECIFIED,
    }
    assert page.canonical_url == "http://site.example/canon"


def test_resources_are_links_when_asked_for() -> None:
    html = "<link rel=stylesheet href=/css><img src=/img><script src=/js>x</script><video src=/v></video>"
    page = page_of(html, ParseLimits(resources=True))
    assert [url[19:] for url in page.links.urls] == ["/css", "/img", "/js", "/v"]


def test_the_first_base_counts_and_an_unusable_one_does_not() -> None:
    assert page_of("<base href=/x/><base href=/y/><a href=z>").links.urls == [
        "http://site.example/x/z"
    ]
    assert page_of("<base href='data:,x'><a href=z>").links.urls == ["http://site.example/dir/z"]
    assert page_of("<a href=z><base href=//o.example>").links.urls == ["http://o.example/z"]


def test_links_inside_what_is_not_shown_still_count() -> None:
    page = page_of(
        "<body><noscript><a href=/1>x</a><iframe src=/2></iframe><noscript><a href=/3></noscript></noscript>"
        "<svg><style><a href=/4>s</a></style></svg><object><object><a href=/5>o</a></object></object>"
        "<select><option>s</option></select><template><a href=/never>t</a></template><p>seen"
    )
    assert [url[19:] for url in page.links.urls] == ["/1", "/2", "/3", "/4", "/5"]
    assert text_of(page) == "seen"


def test_metadata_is_found_and_falls_back_to_open_graph() -> None:
    page = page_of(
        "<html lang=de-AT><title> A\n title </title><meta name=Description content=' what  it is '>"
        "<meta property=og:title content=og><body><svg><title>icon</title></svg>"
    )
    assert (page.title, page.description, page.language) == ("A title", "what it is", "de-AT")
    page = page_of(
        "<meta property='og:title' content='OG t'><meta property='og:description' content='OG d'>"
        "<meta http-equiv=content-language content=fr>"
    )
    assert (page.title, page.description, page.language) == ("OG t", "OG d", "fr")


def test_the_text_has_a_line_for_each_block_and_whole_words() -> None:
    page = page_of(
        "<title>not shown</title><h1>Big</h1><div>one <b>bo</b>ld<span>er</span>\n\n word</div>"
        "tail<p>two<br>three<ul><li>a<li>b</ul><table><tr><td>c<td>d</table><DIV>e</DIV><div><span>f</span></div><span>g</span>"
        "<style>.x{}</style><script>document.write('<div>h</div>')</script><pre>i\n  j</pre>&nbsp;k&nbsp; l"
    )
    assert text_of(page).split("\n") == [
        "Big", "one bolder word", "tail", "two", "three", "a", "b", "c", "d", "e", "f", "g", "i j", "k l",
    ]  # fmt: skip


def test_directives_come_from_meta_elements_and_headers_for_us_only() -> None:
    page = page_of("<meta name=robots content='NOINDEX, nofollow'><a href=/x>")
    assert page.directives == Directive.NOINDEX | Directive.NOFOLLOW
    assert page.links.unfollowed == [0]
    assert page_of("<meta name=nephila content=none>").directives == 3
    assert page_of("<meta name=otherbot content=none>").directives == 0
    assert page_of("", x_robots_tag="noindex, otherbot: nofollow").directives == Directive.NOINDEX
    assert page_of("", x_robots_tag="otherbot: noindex, nofollow").directives == 0
    assert page_of("", x_robots_tag="Nephila: noarchive, nosnippet").directives == 12
    assert (
        page_of("", x_robots_tag="unavailable_after: 25 Jun 2010 15:00:00 PST, noindex").directives
        == 1
    )


def test_links_that_a_page_does_not_vouch_for_are_kept_and_held_back() -> None:
    html = "<a href=/1 rel=nofollow>1</a><a href=/2 rel='ugc NoFollow'>2</a><a href=/3 rel=noopener>3</a>"
    page = page_of(html)
    assert page.links.unfollowed == [0, 1]
    assert page.links.rels == ["nofollow", "ugc NoFollow", "noopener"]
    assert page_of(html, ParseLimits(follow_nofollow=True)).links.unfollowed == []


def test_link_headers_count() -> None:
    page = page_of(
        "<a href=/x>",
        link='</canon>; rel="canonical", <next>; rel=next, </style>; rel=preload, '
        '<//de.example/>; rel="alternate"; hreflang=de',
    )
    assert page.canonical_url == "http://site.example/canon"
    assert page.links.urls[1:] == [
        "http://site.example/canon",
        "http://site.example/dir/next",
        "http://de.example/",
    ]


def test_links_are_capped_and_anchors_cut() -> None:
    html = "".join(f"<a href=/{n}>{'word ' * 100}</a>" for n in range(50))
    page = page_of(html, ParseLimits(links=20))
    assert len(page.links.urls) == 20
    assert max(map(len, page.links.anchors)) == 200


@pytest.mark.parametrize("charset", ["windows-1251", "shift_jis", "utf-16le", "gbk"])
def test_a_page_in_another_encoding_is_read_in_it(charset: str) -> None:
    text = {"windows-1251": "Привет", "shift_jis": "日本", "utf-16le": "ναί", "gbk": "中文"}[
        charset
    ]
    html = f"<title>{text}</title><a href='/{text}'>{text}</a>"
    page = page_of(html.encode(charset), content_type=f"text/html; charset={charset}")
    assert (page.title, page.charset, page.links.anchors) == (text, charset, [text])


def test_invalid_utf_8_does_not_raise() -> None:
    page = page_of(
        b"<title>\xff\xfe</title><a href='/\xe9'>\xc3</a><p>\x80",
        content_type="text/html;charset=utf-8",
    )
    assert page.reason == REASON_FETCHED
    assert len(page.links.urls) == 1


@pytest.mark.parametrize(
    "html",
    [
        "",
        "<",
        "<!--",
        "<frameset><frame src=/f></frameset>",
        "<a href=''>",
        "<svg><a href=/x>",
    ],
)
def test_odd_documents_are_pages_too(html: str) -> None:
    assert page_of(html).reason == REASON_FETCHED


def _cases(function: str) -> list[dict[str, Any]]:
    lines = shared_data.path("html-links-meta/w3lib_html_cases.jsonl").read_text().splitlines()
    return [case for case in map(json.loads, lines) if case["fn"] == function]


REFRESH_DECIDED_OTHERWISE = {
    # Followed by browsers without scripting, and so by crawlers.
    "test_inside_noscript",
    # A tag that the end of the file cuts is none (HTML 13.2.5).
    "test_get_meta_refresh_unterminated_tag",
}


def test_refreshes_are_found_where_w3lib_finds_them() -> None:
    wrong: list[Any] = []
    for case in _cases("get_meta_refresh"):
        html, *base = case["args"]
        if not isinstance(html, str) or case["test"] in REFRESH_DECIDED_OTHERWISE or case["kwargs"]:
            continue
        page = page_of(html, url=base[0] if base else "http://example.org/")
        expected = case["result"][1]
        found = page.links.urls[0] if page.links.urls else None
        if found != (expected and canonicalise(expected)):
            wrong.append((html, expected, found))
    assert wrong == []
