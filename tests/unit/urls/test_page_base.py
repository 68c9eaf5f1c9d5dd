"""Links resolved at once are the links resolved one by one."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nephila_urls import CanonicalUrl, PageBase, Refusal, UrlRefused, canonicalise

BASES = st.sampled_from(
    [
        "http://a.org/",
        "https://a.org/b/c.html?d=e",
        "http://a.org:8080/b/c/",
        "http://[::1]/x/y",
        "http://a.org/b",
    ]
)
HREFS = st.lists(
    st.sampled_from(
        [
            *"/?#:.;@&=%a1b-_~ ",
            *(
                "//",
                "../",
                "./",
                "..",
                "/.",
                "a/b",
                "http:",
                "https://b.org/",
                "HTTP://B.org",
                "mailto:",
                "%7E",
            ),
            *(
                "%C3%A9",
                "é",
                "utm_source=1",
                "b=1&a=2",
                "?x=1",
                "\\",
                "\t",
                ";jsessionid=0123456789ABCDEF",
            ),
            *("(", "/(S(lit3py55t21z5v55vlm25s55))/", "+", "[", "'"),
        ]
    ),
    max_size=8,
).map("".join)


def one_by_one(href: str, base: str) -> CanonicalUrl | None:
    try:
        return canonicalise(href, base)
    except UrlRefused:
        return None


@example("http://a.org/", ["/ #"])
@given(BASES, st.lists(HREFS, max_size=5))
def test_all_links_of_a_page_come_out_as_one_by_one(base: str, hrefs: list[str]) -> None:
    assert PageBase(base).resolve_many(hrefs) == [one_by_one(href, base) for href in hrefs]


def test_a_link_to_nowhere_in_the_page_is_the_page() -> None:
    base = PageBase("http://a.org/b?c=d#e")
    assert base.resolve_many(["", "#top"]) == ["http://a.org/b?c=d"] * 2


@pytest.mark.parametrize("base", ["ftp://a.org/", "about:blank", "b/c", "http://u:p@a.org/"])
def test_nothing_is_read_against_a_base_that_is_refused(base: str) -> None:
    with pytest.raises(UrlRefused):
        PageBase(base)


def test_a_link_that_is_refused_says_why() -> None:
    with pytest.raises(UrlRefused) as caught:
        PageBase("http://a.org/").resolve("mailto:a@a.org")
    assert caught.value.refusal is Refusal.SCHEME


def test_the_charset_counts_in_the_query_alone() -> None:
    base = PageBase("http://a.org/", charset="windows-1252")
    assert base.resolve("é?é=€") == "http://a.org/%C3%A9?%E9=%80"
    assert base.resolve("?д") == "http://a.org/?%26%231076%3B"
    for charset in ("no such", "base64", "utf-16", "UTF8"):
        assert PageBase("http://a.org/", charset=charset).resolve("?é") == "http://a.org/?%C3%A9"


def test_a_link_too_long_for_a_url_is_refused() -> None:
    base = PageBase("http://a.org/b/")
    assert base.resolve_many(["/" + "c" * 2000, "c" * 1990, "/" + "c" * 1980]) == [
        None,
        None,
        "http://a.org/" + "c" * 1980,
    ]
