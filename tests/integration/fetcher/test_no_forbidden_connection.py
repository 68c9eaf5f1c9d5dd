"""Canary listeners on loopback count connections; the fetcher with its defaults makes none."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from nephila_contracts.v1.fetch_pb2 import Attempt, FetchRequested
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_fetcher import (
    AddressGuard,
    FetcherSettings,
    HttpTransport,
    Resolved,
    build_fetcher,
    tls_context,
)
from nephila_runtime import Record, SystemClock
from nephila_urls import CanonicalUrl, host_of, site_key

_SETTINGS = FetcherSettings.model_validate({"contact": "https://crawler.test/"})


class _Rebinding:
    """Public at first, loopback ever after, with a time to live of 0."""

    def __init__(self, first: str, then: str) -> None:
        self._answers = [first]
        self._then = then

    async def resolve(self, host: str) -> Resolved:
        address = self._answers.pop() if self._answers else self._then
        return Resolved((address,), 0.0)


def _run(resolver: Any, allowed: list[str], scenario: Callable[[Any], Awaitable[None]]) -> None:
    async def main() -> None:
        transport = HttpTransport(tls_context())
        service = build_fetcher(
            _SETTINGS, transport, resolver, AddressGuard(allowed), SystemClock()
        )
        count = 0

        async def fetch(url: str) -> list[Any]:
            nonlocal count
            count += 1
            canonical = CanonicalUrl(url)
            attempt = Attempt(
                url=url,
                site_key=site_key(canonical),
                host=host_of(canonical),
                attempt_id=f"0.{count}",
                sequence=count,
            )
            record = Record(0, count, "", FetchRequested(attempt=attempt))
            handled = await service.steps[0].handle([record])
            return [emit.message for emit in handled.emits]

        try:
            await scenario(fetch)
        finally:
            await transport.aclose()

    asyncio.run(main())


async def _canary(visit: Any) -> None:
    await visit.request()
    await visit.send(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nsecret")


@pytest.mark.parametrize(
    "name", ["127.0.0.1", "[::1]", "[::ffff:7f00:1]", "0.0.0.0", "[::]", "127.9.8.7", "localhost"]
)
def test_loopback_is_refused_by_default_whatever_its_spelling(tools: Any, name: str) -> None:
    async def scenario(fetch: Any) -> None:
        async with tools.raw_server(_canary, address="0.0.0.0") as canary:
            completed, _ = await fetch(f"http://{name}:{canary.port}/")
            assert completed.reason == Reason.REASON_ADDRESS_FORBIDDEN
            assert canary.connections == 0

    _run(_Rebinding("127.0.0.1", "127.0.0.1"), [], scenario)


def test_a_rebound_name_makes_no_connection_in_a_thousand_tries(tools: Any) -> None:
    """The public answer is forbidden too here, so that no test leaves this machine."""

    async def scenario(fetch: Any) -> None:
        async with tools.raw_server(_canary, address="0.0.0.0") as canary:
            for number in range(1000):
                name = f"http://n{number}.rebound.test:{canary.port}/"
                completed, _ = await fetch(name)
                assert completed.reason == Reason.REASON_ADDRESS_FORBIDDEN
            assert canary.connections == 0

    _run(_Rebinding("192.0.2.1", "127.0.0.1"), [], scenario)


def test_a_robots_txt_that_redirects_inside_is_not_followed_there(tools: Any) -> None:
    """The front is allowed by its own network, the canary beside it is not."""

    async def scenario(fetch: Any) -> None:
        async with tools.raw_server(_canary, address="127.0.0.2") as canary:

            async def front(visit: Any) -> None:
                await visit.request()
                location = b"http://127.0.0.2:%d/robots.txt" % canary.port
                head = b"HTTP/1.1 302 Found\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n"
                await visit.send(head % location)
                await visit.request()

            async with tools.raw_server(front, address="127.0.0.1") as server:
                (completed,) = await fetch(f"http://127.0.0.1:{server.port}/")
                assert completed.reason == Reason.REASON_ROBOTS_UNREACHABLE
                assert canary.connections == 0

    _run(_Rebinding("192.0.2.1", "192.0.2.1"), ["127.0.0.1/32"], scenario)


def test_a_page_that_redirects_inside_is_only_reported(tools: Any) -> None:
    async def scenario(fetch: Any) -> None:
        async with tools.raw_server(_canary, address="127.0.0.2") as canary:

            async def front(visit: Any) -> None:
                head = await visit.request()
                if head.startswith(b"GET /robots.txt"):
                    await visit.send(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
                    await visit.request()
                location = b"http://127.0.0.2:%d/" % canary.port
                await visit.send(
                    b"HTTP/1.1 302 Found\r\nLocation: %b\r\nContent-Length: 0\r\n\r\n" % location
                )

            async with tools.raw_server(front, address="127.0.0.1") as server:
                completed, parsed, discovered = await fetch(f"http://127.0.0.1:{server.port}/")
                assert completed.reason == parsed.reason == Reason.REASON_REDIRECTED
                inside = discovered.links[0].url
                completed, _ = await fetch(inside)
                assert completed.reason == Reason.REASON_ADDRESS_FORBIDDEN
                assert canary.connections == 0

    _run(_Rebinding("192.0.2.1", "192.0.2.1"), ["127.0.0.1/32"], scenario)
