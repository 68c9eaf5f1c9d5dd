"""Laws of scope, traps and the operator's rules."""

import re

import pytest
from nephila_urls import AdmissionRules, Refusal, Scope, ScopeKind, TrapRules, canonicalise

SEED = canonicalise("https://www.example.org/docs/intro.html")
NOW = TrapRules(this_year=2026)


def rules(kind: ScopeKind = ScopeKind.ANY, **more: object) -> AdmissionRules:
    return AdmissionRules(Scope(kind, [SEED]), NOW, **more)  # pyright: ignore[reportArgumentType]


def judged(rules: AdmissionRules, text: str, depth: int = 1, hops: int = 0) -> Refusal | None:
    return rules.judge(canonicalise(text), depth, hops)


@pytest.mark.parametrize(
    ("url", "kinds"),
    [
        ("https://www.example.org/docs/", "prefix host site any"),
        ("http://www.example.org/docs/a/b?c", "prefix host site any"),
        ("https://www.example.org/docs", "host site any"),
        ("https://www.example.org/docs2/", "host site any"),
        ("https://www.example.org/", "host site any"),
        ("https://www.example.org:8443/docs/", "site any"),
        ("https://example.org/docs/", "site any"),
        ("https://other.example.org/docs/", "site any"),
        ("https://example.com/docs/", "any"),
        ("https://example.org.evil.test/docs/", "any"),
    ],
)
def test_a_scope_goes_exactly_as_far_as_its_kind_says(url: str, kinds: str) -> None:
    for kind in ScopeKind:
        assert Scope(kind, [SEED]).allows(canonicalise(url)) == (kind.value in kinds.split())


def test_an_address_is_a_site_of_its_own() -> None:
    scope = Scope(ScopeKind.SITE, [canonicalise("http://10.0.0.1/")])
    assert scope.allows(canonicalise("http://10.0.0.1:8080/x"))
    assert not scope.allows(canonicalise("http://10.0.0.2/"))


def test_every_seed_is_in_its_own_scope() -> None:
    seeds = [SEED, canonicalise("http://a.test/x?y"), canonicalise("http://10.0.0.1:8080/")]
    for kind in ScopeKind:
        assert all(Scope(kind, seeds).allows(seed) for seed in seeds)


@pytest.mark.parametrize(
    ("path", "refusal"),
    [
        ("/a" * 3 + "/b", Refusal.TRAP_REPEATED_SEGMENTS),
        ("/a/b/a/b/a/b/c", Refusal.TRAP_REPEATED_SEGMENTS),
        ("/a/b/c/d/a/b/c/d/a/b/c/d", Refusal.TRAP_REPEATED_SEGMENTS),
        ("/news/a/news/b/news/c/news/d/news/e", Refusal.TRAP_REPEATED_SEGMENTS),
        ("/a/b/a/b/c", None),
        ("/tiles/0/0/0/0/0.png", None),
        ("/2020/01/01/01/", None),
        ("/" + "/".join(f"s{i}" for i in range(20)), None),
        ("/" + "/".join(f"s{i}" for i in range(21)), Refusal.TRAP_DEEP_PATH),
        ("/?" + "&".join(f"p{i:02}=1" for i in range(10)), None),
        ("/?" + "&".join(f"p{i:02}=1" for i in range(11)), Refusal.TRAP_FACETS),
        ("/calendar/2031/05/", Refusal.TRAP_CALENDAR),
        ("/calendar?month=2029-01", Refusal.TRAP_CALENDAR),
        ("/events/1970/01", Refusal.TRAP_CALENDAR),
        ("/events?date=19700101", Refusal.TRAP_CALENDAR),
        ("/calendar/2027/05/", None),
        ("/events/2001/summer", None),
        ("/books/1984/", None),
        ("/archive/1851/09/18/", None),
        ("/events/12345/2999x", None),
    ],
)
def test_traps_are_what_no_honest_page_looks_like(path: str, refusal: Refusal | None) -> None:
    assert judged(rules(), "http://a.test" + path) == refusal


def test_patterns_are_searched_in_the_whole_url() -> None:
    picky = rules(
        include=(re.compile(r"/docs/"), re.compile(r"\.pdf$")), exclude=(re.compile("draft"),)
    )
    assert judged(picky, "http://a.test/docs/x") is None
    assert judged(picky, "http://a.test/x.pdf") is None
    assert judged(picky, "http://a.test/x") is Refusal.NOT_INCLUDED
    assert judged(picky, "http://a.test/docs/draft.pdf") is Refusal.EXCLUDED


def test_a_seed_need_not_be_included_but_may_be_excluded() -> None:
    assert judged(rules(include=(re.compile("nothing"),)), "http://a.test/", depth=0) is None
    assert judged(rules(exclude=(re.compile("a"),)), "http://a.test/", depth=0) is Refusal.EXCLUDED


def test_depth_and_redirects_end_where_they_are_said_to() -> None:
    shallow = rules(max_depth=2)
    assert judged(shallow, "http://a.test/", depth=2) is None
    assert judged(shallow, "http://a.test/", depth=3) is Refusal.TOO_DEEP
    assert judged(rules(), "http://a.test/", depth=1000, hops=5) is None
    assert judged(rules(), "http://a.test/", hops=6) is Refusal.TOO_MANY_REDIRECTS


def test_a_sitemap_of_a_seeds_host_is_wanted_wherever_it_lies() -> None:
    narrow = rules(ScopeKind.PREFIX, include=(re.compile("/docs/"),), max_depth=1)
    sitemap = canonicalise("https://www.example.org/calendar/sitemap-1999-01.xml")
    assert narrow.judge(sitemap, 1, 0) is Refusal.OUT_OF_SCOPE
    assert narrow.judge_sitemap(sitemap, 0) is None
    elsewhere = canonicalise("https://elsewhere.org/sitemap.xml")
    assert narrow.judge_sitemap(elsewhere, 0) is Refusal.OUT_OF_SCOPE
    assert narrow.judge_sitemap(sitemap, 10) is None
    assert narrow.judge_sitemap(sitemap, 11) is Refusal.TOO_DEEP
    deep = canonicalise("https://www.example.org" + "/a" * 3 + "/sitemap.xml")
    assert narrow.judge_sitemap(deep, 0) is Refusal.TRAP_REPEATED_SEGMENTS
