"""The fetch step and the leases that it is handed."""

import asyncio
from datetime import timedelta
from typing import Any

import httpx
import pytest
from fetch_scenarios import DEFERRED, FINAL, PAGE, how_it_ended, html
from nephila_contracts.v1.fetch_pb2 import Attempt, FetchRequested
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime import Poison, Record


def test_the_wait_of_a_lease_is_kept_and_the_name_is_looked_up_meanwhile(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        await world.fetch(PAGE, wait_ms=4000)
        return world.web.asked, world.dns.asked

    asked, names = in_world(scenario)
    assert asked[0][0] == 4.0
    assert names == ["a.test"]


def test_no_fetch_takes_longer_than_the_longest(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        async def never(_request: httpx.Request) -> httpx.Response:
            await world.clock.sleep(1e9)
            return html()

        world.web.pages[PAGE] = never
        emits = await world.fetch(PAGE, wait_ms=10_000)
        return emits, world.clock.now()

    emits, now = in_world(scenario, longest_fetch=timedelta(seconds=50))
    assert now == 60
    assert how_it_ended(by_topic, emits) == (DEFERRED, Reason.REASON_TIMED_OUT)
    assert by_topic(emits)["fetch_completed"][0].request_sent


def test_a_copy_of_an_attempt_is_dropped(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        first = await world.fetch(PAGE, attempt_id="7.1", sequence=1)
        return first, await world.fetch(PAGE, attempt_id="7.1", sequence=1)

    first, copy = in_world(scenario)
    assert len(first) == 2
    assert copy == []


def test_an_attempt_of_an_epoch_that_is_over_is_dropped(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        old = (4 << 40) + 99
        new = (5 << 40) + 1
        return [
            await world.fetch(PAGE, sequence=new),
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
        return await world.fetch(PAGE, tries=9), world.web.urls

    def refuse(_attempt: Attempt) -> Reason:
        return reason

    emits, asked = in_world(scenario, permission=refuse)
    assert asked == []
    assert how_it_ended(by_topic, emits) == (DEFERRED, reason)


def test_a_revoked_partition_gives_its_open_fetches_back(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        taken = asyncio.create_task(world.fetch(PAGE, partition=1))
        kept = asyncio.create_task(world.fetch("http://b.test/", partition=2))
        await world.clock.sleep(1.7)
        await world.service.revoked((1,))
        given_back = await taken
        assert world.clock.now() < 1.8
        again = await world.fetch(PAGE, partition=1, attempt_id="0.1", sequence=1)
        return given_back, await kept, again

    given_back, kept, again = in_world(scenario)
    assert set(by_topic(given_back)) == {"fetch_completed"}
    assert how_it_ended(by_topic, given_back) == (DEFERRED, Reason.REASON_HANDED_BACK)
    assert how_it_ended(by_topic, kept) == (FINAL, Reason.REASON_GONE)
    assert how_it_ended(by_topic, again) == (FINAL, Reason.REASON_GONE)


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
    assert how_it_ended(by_topic, emits) == (FINAL, Reason.REASON_POISONED)
    assert by_topic(emits)["page_parsed"][0].reason == Reason.REASON_POISONED


def test_the_same_fetches_end_the_same_way_each_time(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        for number in range(20):
            world.web.pages[f"http://{number}.test/"] = html()
        fetches = (world.fetch(f"http://{number}.test/") for number in range(20))
        emits = [emit for each in await asyncio.gather(*fetches) for emit in each]
        return [(emit.topic.name, emit.message.SerializeToString()) for emit in emits]

    assert in_world(scenario) == in_world(scenario)
