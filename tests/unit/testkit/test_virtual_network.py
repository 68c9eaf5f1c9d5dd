"""The synthetic web inside one loop."""

import asyncio

import httpx
import pytest
from nephila_testkit.web import Role, SyntheticWeb, WebShape, reachable
from nephila_testkit.web.virtual_network import SyntheticResolver, SyntheticTransport

WEB = SyntheticWeb(WebShape(hosts=3, pages_per_host=60, resets=5, slow_page_s=0.01, slow_host_s=0))


class _NoSuchHost(Exception):
    pass


async def ask(transport: SyntheticTransport, url: str) -> httpx.Response:
    return await transport.handle_async_request(httpx.Request("GET", url))


def test_every_request_is_recorded_with_what_was_answered() -> None:
    async def scenario() -> None:
        transport = SyntheticTransport(WEB, latency_s=0.0)
        response = await ask(transport, "http://h0.site0.test/robots.txt")
        (seen,) = transport.log().requests
        assert response.status_code == seen.status == 200
        assert (seen.role, seen.whole, seen.address) == ("robots", True, "127.70.0.1")
        assert seen.robots.encode() == response.extensions["wire_body"]
        assert seen.ended_s is not None
        assert seen.ended_s >= seen.arrived_s

    asyncio.run(scenario())


def test_a_reset_is_an_error_the_first_time_only() -> None:
    url = next(
        host.origin + node.target
        for host in WEB.hosts
        for node in host.nodes.values()
        if node.role is Role.RESET
    )

    async def scenario() -> None:
        transport = SyntheticTransport(WEB, latency_s=0.0)
        with pytest.raises(httpx.ReadError):
            await ask(transport, url)
        assert (await ask(transport, url)).status_code == 200
        assert [seen.whole for seen in transport.requests] == [False, True]

    asyncio.run(scenario())


def test_a_request_that_is_cancelled_ends_then() -> None:
    async def scenario() -> None:
        transport = SyntheticTransport(WEB, latency_s=60.0)
        asking = asyncio.create_task(ask(transport, "http://h0.site0.test/"))
        await asyncio.sleep(0)
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking
        assert transport.requests[0].ended_s is not None
        assert not transport.requests[0].whole

    asyncio.run(scenario())


def test_names_of_the_web_are_known_and_no_others() -> None:
    async def scenario() -> None:
        resolver = SyntheticResolver(WEB, lambda found, ttl: (found, ttl), _NoSuchHost)
        assert await resolver.resolve("h1.site0.test") == (("127.70.0.2",), 300.0)
        with pytest.raises(_NoSuchHost):
            await resolver.resolve("elsewhere.test")
        assert resolver.asked == ["h1.site0.test", "elsewhere.test"]

    asyncio.run(scenario())


def test_a_plain_walk_over_the_network_finds_all_that_is_reachable() -> None:
    found = reachable(WEB, WEB.seeds)

    async def scenario() -> set[str]:
        transport = SyntheticTransport(WEB, latency_s=0.0)
        for url in sorted(found.complete):
            await ask(transport, url)
        return {seen.url for seen in transport.requests}

    assert asyncio.run(scenario()) == found.complete
