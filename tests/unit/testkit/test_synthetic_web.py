"""The synthetic web is a value: the same for the same seed, and all of it can be reached."""

import gzip
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from nephila_testkit.web import (
    Ending,
    Role,
    SyntheticAnswer,
    SyntheticWeb,
    WebShape,
    answer,
    reachable,
)

SHAPE = WebShape(hosts=12, pages_per_host=120, strange_retry_after=True)
WEB = SyntheticWeb(SHAPE)
FOUND = reachable(WEB, WEB.seeds)


def asked(url: str, *, count: int = 1, web: SyntheticWeb = WEB, **fields: str) -> SyntheticAnswer:
    host, slash, rest = url.removeprefix("http://").partition("/")
    headers = {name.replace("_", "-"): value for name, value in fields.items()}
    return answer(web, host, slash + rest, headers, 0.0, count)


def first_of(role: Role) -> str:
    known = FOUND.complete | FOUND.attempted | FOUND.disallowed
    return next(url for url in sorted(known) if (node := WEB.find(url)) and node.role is role)


@given(seed=st.integers(0, 2**31), hosts=st.integers(1, 5), pages=st.integers(2, 30))
@settings(max_examples=20, deadline=None)
def test_the_same_shape_is_the_same_web(seed: int, hosts: int, pages: int) -> None:
    shape = WebShape(seed=seed, hosts=hosts, pages_per_host=pages)
    web, again = SyntheticWeb(shape), SyntheticWeb(WebShape.from_json(shape.to_json()))
    found = reachable(web, web.seeds)
    assert found == reachable(again, again.seeds)
    for url in sorted(found.complete):
        assert asked(url, web=web) == asked(url, web=again)


def test_every_ordinary_page_of_every_host_can_be_reached() -> None:
    pages = {host.origin + node.target for host in WEB.hosts for node in host.ordinary}
    assert len(pages) > 800
    assert pages <= FOUND.complete


def test_all_that_is_reachable_answers_whole_once_it_was_asked_before() -> None:
    endings = {asked(url).ending for url in FOUND.complete | FOUND.attempted}
    assert endings == {Ending.WHOLE}


def test_every_role_occurs() -> None:
    roles = Counter(node.role for host in WEB.hosts for node in host.nodes.values())
    assert set(roles) == set(Role) - {Role.ROBOTS, Role.SITEMAP, Role.UNKNOWN}


def test_links_lead_to_pages_and_hardly_ever_to_nothing() -> None:
    statuses = Counter(asked(url).status // 100 for url in FOUND.complete)
    assert statuses[2] > 0.8 * len(FOUND.complete)


def test_a_duplicate_has_the_bytes_of_its_twin() -> None:
    assert FOUND.aliases
    for group in FOUND.aliases:
        assert len({asked(url).payload for url in group}) == 1


def test_a_near_duplicate_differs_in_one_word() -> None:
    url = first_of(Role.NEAR_DUPLICATE)
    node = WEB.find(url)
    assert node is not None
    assert node.twin is not None
    twin = WEB.hosts[node.twin.host].origin + node.twin.target
    words, twin_words = asked(url).payload.split(), asked(twin).payload.split()
    differing = [pair for pair in zip(words, twin_words, strict=True) if pair[0] != pair[1]]
    assert len(differing) == 1


def test_redirects_end_after_five_steps_at_most_or_go_round() -> None:
    chains = [url for url in FOUND.complete if "/redirect/" in url]
    assert chains
    for url in chains:
        steps = [url]
        while asked(steps[-1]).location and len(set(steps)) == len(steps):
            host = "/".join(steps[-1].split("/")[:3])
            location = asked(steps[-1]).location
            steps.append(location if location.startswith("http") else host + location)
        assert len(set(steps)) <= 6


def test_what_robots_txt_disallows_is_never_expected() -> None:
    assert FOUND.disallowed
    assert not FOUND.disallowed & (FOUND.complete | FOUND.attempted)
    assert all("/private/k" in url for url in FOUND.disallowed)


def test_a_failing_page_is_fine_the_second_time() -> None:
    url = first_of(Role.FAILING)
    assert (asked(url, count=0).status, asked(url, count=1).status) == (500, 200)


def test_a_capricious_host_asks_to_come_back_and_then_answers() -> None:
    put_off = [url for url in sorted(FOUND.complete) if asked(url, count=0).status in (429, 503)]
    assert put_off
    assert any(asked(url, count=0).asked_wait_s for url in put_off)
    assert all(asked(url).status not in (429, 503) for url in put_off)


def test_a_changing_page_never_answers_the_same_twice() -> None:
    url = first_of(Role.CHANGING)
    assert asked(url, count=1).payload != asked(url, count=2).payload


def test_a_page_that_is_known_by_its_etag_answers_304() -> None:
    url = f"{WEB.hosts[0].origin}/"
    etag = dict(asked(url).headers)["ETag"]
    assert asked(url, if_none_match=etag).status == 304
    assert asked(url, if_none_match='"other"').status == 200


def test_gzip_is_given_to_those_who_take_it() -> None:
    host = next(host for host in WEB.hosts if host.gzips)
    packed = asked(f"{host.origin}/", accept_encoding="gzip, br")
    assert gzip.decompress(packed.body) == packed.payload
    plain = asked(f"{host.origin}/")
    assert plain.body == plain.payload == packed.payload


def test_the_scope_bounds_what_is_expected() -> None:
    host = reachable(WEB, WEB.seeds, "host").complete
    site = reachable(WEB, WEB.seeds, "site").complete
    assert {url.split("/")[2] for url in host} == {"h0.site0.test"}
    assert {url.split("/")[2] for url in site} == {"h0.site0.test", "h1.site0.test"}
    assert host < site < FOUND.complete


def test_a_host_whose_robots_txt_is_always_503_is_left_alone() -> None:
    web = SyntheticWeb(WebShape(hosts=10, pages_per_host=10, robots_absent=0, robots_closed=95))
    closed = {host.name for host in web.hosts if host.robots == "closed"}
    assert closed
    hosts_asked = {url.split("/")[2] for url in reachable(web, web.seeds).complete}
    assert not hosts_asked & closed


def test_sitemaps_name_pages_that_nothing_links_to() -> None:
    listed = {url for url in FOUND.complete if "/listed/" in url}
    assert listed
    without = {
        url
        for host in WEB.hosts
        if not host.sitemap
        for url in FOUND.complete & _listed(host.number)
    }
    assert not without


def _listed(number: int) -> set[str]:
    host = WEB.hosts[number]
    return {host.origin + node.target for node in host.listed}
