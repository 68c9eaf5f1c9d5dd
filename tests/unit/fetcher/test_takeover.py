"""After a death nobody knows which hosts were asked last: they are left alone for their delay."""

from typing import Any

import httpx
from nephila_contracts import topics
from nephila_runtime import Assignment

_PAGE = "http://a.test/page"
_END = 100


async def _take_over(world: Any, *, clean: bool = False) -> None:
    ends = {(topics.FETCH_REQUESTED.name, 0): _END}
    await world.service.assigned(Assignment((0,), clean=clean, ends=ends))


def test_a_lease_of_the_time_before_a_death_waits_for_its_delay(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        await _take_over(world)
        await world.clock.sleep(0.2)
        await world.fetch(_PAGE, offset=_END - 1, delay_ms=3000)
        return world.web.asked[0][0]

    assert in_world(scenario) == 3.0


def test_a_longer_wait_of_the_lease_itself_is_kept(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        await _take_over(world)
        await world.fetch(_PAGE, offset=_END - 1, delay_ms=3000, wait_ms=5000)
        return world.web.asked[0][0]

    assert in_world(scenario) == 5.0


def test_a_delay_longer_than_any_fetch_may_take_is_waited_for_all_the_same(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        await _take_over(world)
        await world.fetch(_PAGE, offset=_END - 1, delay_ms=300_000)
        return [(url, started) for started, _, url in world.web.asked]

    assert in_world(scenario) == [("http://a.test/robots.txt", 300.0)]


def test_a_lease_published_since_waits_for_nothing(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        await _take_over(world)
        await world.fetch(_PAGE, offset=_END, delay_ms=3000)
        return world.web.asked[0][0]

    assert in_world(scenario) == 0.0


def test_after_a_clean_hand_over_nothing_is_waited_for(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        await _take_over(world, clean=True)
        await world.fetch(_PAGE, offset=_END - 1, delay_ms=3000)
        return world.web.asked[0][0]

    assert in_world(scenario) == 0.0


def test_a_host_that_robots_txt_leads_to_counts_as_asked_just_before_a_death(
    in_world: Any,
) -> None:
    async def scenario(world: Any) -> Any:
        moved = httpx.Response(301, headers={"Location": "http://other.test/robots.txt"})
        world.web.pages["http://a.test/robots.txt"] = moved
        await world.clock.sleep(10)
        await _take_over(world)
        await world.fetch(_PAGE, offset=_END, delay_ms=3000)
        return [(url, started) for started, _, url in world.web.asked]

    asked = in_world(scenario)
    assert asked[0] == ("http://a.test/robots.txt", 10.0)
    assert asked[1] == ("http://other.test/robots.txt", 13.0)
