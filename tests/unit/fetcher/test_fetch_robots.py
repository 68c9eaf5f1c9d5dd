"""The fetch step and robots.txt."""

import itertools
import zlib
from typing import Any

import httpx
import pytest
from fetch_scenarios import DEFERRED, FINAL, PAGE, ROBOTS, answering, how_it_ended, robots
from nephila_contracts.v1.page_pb2 import Truncation
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_contracts.v1.url_pb2 import DiscoverySource, UrlKind


def test_robots_txt_comes_first_then_the_delay_then_the_page(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = robots("User-agent: *\nDisallow: /private\n")
        await world.fetch(PAGE, delay_ms=3000)
        await world.fetch("http://a.test/2", delay_ms=3000)
        return world.web.asked

    assert in_world(scenario) == [
        (0, 0.5, ROBOTS),
        (3.5, 4.0, PAGE),
        (7.0, 7.5, "http://a.test/2"),
    ]


def test_a_disallowed_page_is_never_asked_for(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = robots("User-agent: nephila\nDisallow: /pa\nCrawl-delay: 7\n")
        return await world.fetch(PAGE), world.web.urls

    emits, asked = in_world(scenario)
    assert asked == [ROBOTS]
    found = by_topic(emits)
    (completed,), (verdict,) = found["fetch_completed"], found["page_parsed"]
    assert completed.reason == verdict.reason == Reason.REASON_ROBOTS_DISALLOWED
    assert completed.end == FINAL
    assert completed.crawl_delay_ms == 7000
    assert not verdict.HasField("exchange")


def test_rules_last_for_a_day_at_most(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = robots("")
        await world.fetch(PAGE)
        await world.clock.sleep(86_300)
        await world.fetch(PAGE)
        await world.clock.sleep(200)
        world.web.pages[ROBOTS] = robots("User-agent: *\nDisallow: /\n")
        await world.fetch(PAGE)
        return world.web.urls

    assert in_world(scenario) == [ROBOTS, PAGE, PAGE, ROBOTS]


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
            given = answering(
                dict(answer.headers), b"User-agent: *\n", answer.status_code, **answer.extensions
            )
        world.web.pages[ROBOTS] = given
        first = await world.fetch(PAGE)
        second = await world.fetch("http://a.test/2")
        third = await world.fetch("http://a.test/3", tries=2)
        return first, second, third, world.web.urls

    first, second, third, asked = in_world(scenario)
    assert asked == [ROBOTS]
    for emits, sent in ((first, True), (second, False)):
        (completed,) = by_topic(emits)["fetch_completed"]
        assert (completed.end, completed.reason) == (DEFERRED, Reason.REASON_ROBOTS_UNREACHABLE)
        assert completed.request_sent == sent
        assert 0 < completed.retry_after_ms <= 60_000
        assert set(by_topic(emits)) == {"fetch_completed"}
    assert by_topic(third)["page_parsed"][0].reason == Reason.REASON_ROBOTS_UNREACHABLE


def test_an_unreachable_robots_txt_is_asked_for_again_with_back_off(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = httpx.Response(500)
        for _ in range(400):
            await world.fetch(PAGE)
            await world.clock.sleep(1)
        world.web.pages[ROBOTS] = robots("")
        await world.clock.sleep(1000)
        await world.fetch(PAGE)
        return world.web.asked

    asked = in_world(scenario)
    starts = [start for start, _, url in asked if url == ROBOTS]
    gaps = [later - earlier for earlier, later in itertools.pairwise(starts)]
    assert all(least <= gap < least + 3 for least, gap in zip([5, 10, 20, 40], gaps, strict=False))
    assert len(gaps) >= 4
    assert asked[-1][2] == PAGE


def test_a_robots_txt_that_asks_for_time_gets_it(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = httpx.Response(503, headers={"Retry-After": "7200"})
        emits = await world.fetch(PAGE)
        await world.clock.sleep(7000)
        await world.fetch(PAGE)
        return emits, world.web.urls

    emits, asked = in_world(scenario)
    assert asked == [ROBOTS]
    assert by_topic(emits)["fetch_completed"][0].retry_after_ms == 7_200_000


def test_robots_txt_is_followed_through_five_redirects_for_its_own_origin(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        hops = [ROBOTS, *(f"http://b.test/{number}" for number in range(5))]
        for here, there in itertools.pairwise(hops):
            world.web.pages[here] = httpx.Response(301, headers={"Location": there})
        world.web.pages[hops[-1]] = robots("User-agent: *\nDisallow: /page\n")
        await world.fetch(PAGE)
        await world.fetch("http://b.test/page")
        return world.web.asked

    asked = in_world(scenario)
    urls = [url for _, _, url in asked]
    assert PAGE not in urls
    assert urls[-1] == "http://b.test/page"
    of_b = [(start, end) for start, end, url in asked if "//b.test" in url]
    gaps = [later[0] - earlier[1] for earlier, later in itertools.pairwise(of_b)]
    assert min(gaps) >= 1.0


def test_behind_more_redirects_there_is_no_robots_txt(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        def onward(request: httpx.Request) -> httpx.Response:
            return httpx.Response(302, headers={"Location": f"{request.extensions['url']}x"})

        for number in range(8):
            world.web.pages[ROBOTS + "x" * number] = onward
        await world.fetch(PAGE)
        return world.web.urls

    asked = in_world(scenario)
    assert len([url for url in asked if "robots" in url]) == 6
    assert asked[-1] == PAGE


def test_a_robots_txt_packed_with_gzip_is_read_up_to_its_limit(in_world: Any) -> None:
    rules = b"User-agent: *\nDisallow: /page\n"
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    bomb = packer.compress(rules + b"\n" * 20_000_000) + packer.flush()

    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = answering({"Content-Encoding": "gzip"}, bomb)
        await world.fetch(PAGE)
        return world.web.urls

    assert in_world(scenario) == [ROBOTS]


def test_sitemaps_of_robots_txt_are_discovered_once_it_is_fetched(
    in_world: Any, by_topic: Any
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = robots(
            "Sitemap: http://a.test/one.xml\nSitemap: /two.xml\nSitemap: mailto:x\n"
            "Sitemap: https://cdn.other.test/a.xml\nSitemap: http://a.test/robots.txt\n"
            "Sitemap: http://a.test/one.xml\nUser-agent: *\nDisallow: /\n"
        )
        return await world.fetch(PAGE), await world.fetch("http://a.test/2")

    first, second = in_world(scenario)
    own, other = by_topic(first)["url_discovered"]
    assert own.site_key == "a.test"
    assert own.source == DiscoverySource.DISCOVERY_SOURCE_ROBOTS
    assert own.source_url == ROBOTS
    assert [link.url for link in own.links] == ["http://a.test/one.xml", "http://a.test/two.xml"]
    assert {link.kind for link in own.links} == {UrlKind.URL_KIND_SITEMAP}
    assert [link.url for link in other.links] == ["https://cdn.other.test/a.xml"]
    assert "url_discovered" not in by_topic(second)


def test_many_sitemaps_go_in_messages_within_their_limits(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        lines = [f"Sitemap: http://a.test/{number:0300d}.xml" for number in range(1200)]
        world.web.pages[ROBOTS] = robots("\n".join(lines))
        return await world.fetch(PAGE)

    messages = by_topic(in_world(scenario))["url_discovered"]
    assert sum(len(message.links) for message in messages) == 1200
    assert max(len(message.links) for message in messages) <= 500
    assert max(message.ByteSize() for message in messages) <= 256 * 1024


def test_a_crawl_delay_too_long_for_the_lease_hands_it_back(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = robots("User-agent: *\nCrawl-delay: 60\n")
        first = await world.fetch(PAGE)
        await world.clock.sleep(60)
        return first, await world.fetch(PAGE, delay_ms=60_000, attempt_id="again"), world.web.urls

    first, second, asked = in_world(scenario)
    (completed,) = by_topic(first)["fetch_completed"]
    assert (completed.end, completed.reason) == (DEFERRED, Reason.REASON_HANDED_BACK)
    assert completed.retry_after_ms == completed.crawl_delay_ms == 60_000
    assert how_it_ended(by_topic, second) == (FINAL, Reason.REASON_GONE)
    assert asked == [ROBOTS, PAGE]


def test_a_short_crawl_delay_is_kept_before_the_page(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = robots("User-agent: *\nCrawl-delay: 9\n")
        await world.fetch(PAGE)
        return world.web.asked

    assert in_world(scenario)[1][0] == 9.5
    assert in_world(scenario, obey_crawl_delay=False)[1][0] == 1.5
