"""A small web without sockets, and the fetcher's step on simulated time."""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from nephila_contracts.v1.fetch_pb2 import Attempt, FetchRequested
from nephila_contracts.v1.url_pb2 import Validators
from nephila_fetcher import AddressGuard, DnsFailed, FetcherSettings, NoSuchHost, Resolved
from nephila_fetcher.fetch import Permission
from nephila_fetcher.service import build_fetcher, everything_permitted
from nephila_runtime import Emit, Record, Service
from nephila_runtime.virtual_time import VirtualClock, run_virtual
from nephila_urls import CanonicalUrl, host_of, site_key

Handler = Callable[[httpx.Request], "httpx.Response | Awaitable[httpx.Response]"]


@dataclass
class SmallWeb(httpx.AsyncBaseTransport):
    """Answers by URL with a response or what a handler gives; unknown URLs are 404 (so is robots.txt).

    `latency` is in seconds; `asked` are (start, end, url) in order; `requests` are those received.
    """

    clock: VirtualClock
    latency: float = 0.5
    pages: dict[str, httpx.Response | Exception | Handler] = field(
        default_factory=dict[str, "httpx.Response | Exception | Handler"]
    )
    asked: list[tuple[float, float, str]] = field(default_factory=list[tuple[float, float, str]])
    requests: list[httpx.Request] = field(default_factory=list[httpx.Request])

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        url = str(request.extensions["url"])
        self.requests.append(request)
        started = self.clock.now()
        try:
            await self.clock.sleep(self.latency)
            return await self._answer(request, url)
        finally:
            self.asked.append((started, self.clock.now(), url))

    async def _answer(self, request: httpx.Request, url: str) -> httpx.Response:
        page = self.pages.get(url, httpx.Response(404))
        if isinstance(page, Exception):
            raise page
        if isinstance(page, httpx.Response):
            # A response can be read once: hand out a copy.
            return httpx.Response(
                page.status_code,
                headers=page.headers.raw,
                content=page.content if "content-length" in page.headers else None,
                extensions=page.extensions,
            )
        given = page(request)
        return given if isinstance(given, httpx.Response) else await given

    @property
    def urls(self) -> list[str]:
        return [url for _, _, url in self.asked]


@dataclass
class SmallDns:
    """Every name leads to 93.184.215.14 unless `answers` says otherwise."""

    answers: dict[str, Resolved | NoSuchHost | DnsFailed] = field(
        default_factory=dict[str, "Resolved | NoSuchHost | DnsFailed"]
    )
    asked: list[str] = field(default_factory=list[str])

    async def resolve(self, host: str) -> Resolved:
        self.asked.append(host)
        answer = self.answers.get(host, Resolved(("93.184.215.14",), 300.0))
        if isinstance(answer, Resolved):
            return answer
        raise type(answer)(host)


class World:
    """A fetcher between a small web and a small DNS. Made within a virtual run."""

    def __init__(
        self, clock: VirtualClock, settings: dict[str, Any], permission: Permission
    ) -> None:
        self.clock = clock
        self.web = SmallWeb(clock)
        self.dns = SmallDns()
        self.service: Service = build_fetcher(
            FetcherSettings(contact="https://crawler.test/", **settings),  # pyright: ignore[reportArgumentType]
            self.web,
            self.dns,
            AddressGuard(),
            clock,
            permission,
        )
        self._offset = 0

    async def fetch(
        self, url: str, partition: int = 0, offset: int | None = None, **lease: Any
    ) -> list[Emit[Any]]:
        """Handles one lease; returns its emits in order."""
        self._offset += 1
        message = lease_for(url, self._offset, **lease)
        stood_at = self._offset if offset is None else offset
        record = Record(partition, stood_at, message.attempt.site_key, message)
        handled = await self.service.steps[0].handle([record])
        return list(handled.emits)


def lease_for(
    url: str,
    number: int,
    wait_ms: int = 0,
    delay_ms: int = 1000,
    validators: Validators | None = None,
    **attempt: Any,
) -> FetchRequested:
    canonical = CanonicalUrl(url)
    fields: dict[str, Any] = {"attempt_id": f"0.{number}", "sequence": number, "depth": 2}
    fields.update(attempt)
    return FetchRequested(
        attempt=Attempt(url=url, site_key=site_key(canonical), host=host_of(canonical), **fields),
        wait_ms=wait_ms,
        delay_ms=delay_ms,
        validators=validators,
    )


RunInWorld = Callable[..., Any]


@pytest.fixture
def in_world() -> RunInWorld:
    """Runs `scenario(world)` on simulated time and returns what it returns."""

    def run(
        scenario: Callable[[World], Coroutine[Any, Any, Any]],
        permission: Permission = everything_permitted,
        **settings: Any,
    ) -> Any:
        async def main() -> Any:
            import asyncio

            clock = VirtualClock(asyncio.get_running_loop())
            return await scenario(World(clock, settings, permission))

        return run_virtual(main())

    return run


def by_topic(emits: Sequence[Emit[Any]]) -> dict[str, list[Any]]:
    """Messages by the name of their topic."""
    found: dict[str, list[Any]] = {}
    for emit in emits:
        found.setdefault(emit.topic.name, []).append(emit.message)
    return found


@pytest.fixture(name="by_topic")
def _by_topic() -> Callable[[Sequence[Emit[Any]]], dict[str, list[Any]]]:
    return by_topic
