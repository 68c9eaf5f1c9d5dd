"""A simulated web whose hosts go away and come back, crawled by one run of the command after another."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import httpx
from nephila_contracts.v1.page_pb2 import Truncation
from nephila_fetcher import DnsFailed, NoSuchHost, Resolved, Resolver
from nephila_fetcher.exchange import ConnectionRefused
from nephila_runtime.virtual_time import VirtualClock, run_virtual
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.progress import Progress
from nephila_standalone.surroundings import Surroundings
from nephila_testkit.checker import Report, Terms, judge
from nephila_testkit.checker.outputs import read_outputs
from nephila_testkit.web import ServedRequest, SyntheticWeb, reachable
from nephila_testkit.web.virtual_network import SyntheticTransport
from simulation import Simulation

R = TypeVar("R")


class Trouble(StrEnum):
    """How a host, or the name server, is away."""

    REFUSED = "refused"
    # Not even the connection is answered.
    UNREACHABLE = "unreachable"
    # It takes the request and never answers.
    SILENT = "silent"
    STORM = "503 with Retry-After"
    SERVFAIL = "servfail"
    NO_DNS_ANSWER = "no DNS answer"
    NXDOMAIN = "nxdomain"


@dataclass
class Outage:
    """When and how everything is away; and who was tried meanwhile."""

    trouble: Trouble
    from_s: float
    until_s: float
    retry_after_s: int = 0
    # Host → when it, or its name, was asked for.
    tried: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def befalls(self, host: str, *troubles: Trouble) -> bool:
        now = asyncio.get_running_loop().time()
        if self.trouble not in troubles or not self.from_s <= now < self.until_s:
            return False
        self.tried.setdefault(host, []).append(now)
        return True

    def most_tries(self) -> int:
        return max(map(len, self.tried.values()))


class TroubledTransport(httpx.AsyncBaseTransport):
    """The synthetic web behind an outage."""

    def __init__(self, web: SyntheticTransport, outage: Outage) -> None:
        self._web = web
        self._outage = outage

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        host = request.headers["host"]
        outage = self._outage
        if outage.befalls(host, Trouble.REFUSED):
            raise ConnectionRefused("refused")
        if outage.befalls(host, Trouble.UNREACHABLE):
            await asyncio.sleep(10.0)
            raise httpx.ConnectTimeout("no connection in time")
        if outage.befalls(host, Trouble.SILENT):
            await asyncio.sleep(30.0)
            raise httpx.ReadTimeout("no answer in time")
        if outage.befalls(host, Trouble.STORM):
            return self._put_off(request, host)
        return await self._web.handle_async_request(request)

    def _put_off(self, request: httpx.Request, host: str) -> httpx.Response:
        now, asked = asyncio.get_running_loop().time(), self._outage.retry_after_s
        target = request.url.raw_path.decode("ascii")
        role = "robots" if target == "/robots.txt" else "page"
        seen = ServedRequest(len(self._web.requests) + 1, host, target, now, now, 503, True)
        seen.role, seen.asked_wait_s = role, float(asked)
        self._web.requests.append(seen)
        head = b"HTTP/1.1 503 Away\r\nRetry-After: %d\r\nContent-Length: 0\r\n\r\n" % asked
        extensions = {
            "response_head": head,
            "ip": "127.70.0.1",
            "wire_body": b"",
            "truncation": Truncation.TRUNCATION_UNSPECIFIED,
        }
        fields = {"Retry-After": str(asked), "Content-Length": "0"}
        stream = httpx.ByteStream(b"")
        return httpx.Response(503, headers=fields, stream=stream, extensions=extensions)


class TroubledResolver:
    """The synthetic web's names behind an outage."""

    def __init__(self, names: Resolver, outage: Outage) -> None:
        self._names = names
        self._outage = outage

    async def resolve(self, host: str) -> Resolved:
        if self._outage.befalls(host, Trouble.SERVFAIL):
            raise DnsFailed(host)
        if self._outage.befalls(host, Trouble.NO_DNS_ANSWER):
            await asyncio.sleep(10.0)
            raise DnsFailed("no answer in time")
        if self._outage.befalls(host, Trouble.NXDOMAIN):
            raise NoSuchHost(host)
        return await self._names.resolve(host)


@dataclass
class _Seeded(Simulation):
    more_seeds: tuple[str, ...] = ()

    def plan(self) -> CrawlPlan:
        plan = super().plan()
        return replace(plan, seeds=(*plan.seeds, *self.more_seeds))


@dataclass
class OutageCrawl:
    """Runs of the command on one DIR and one time line; the web's log goes over all of them."""

    web: SyntheticWeb
    into: Path
    outage: Outage
    delay: timedelta = timedelta(seconds=1)
    # Beside the web's own.
    more_seeds: tuple[str, ...] = ()
    adapt: Callable[[Surroundings], Surroundings] = lambda around: around
    runs: list[Progress] = field(default_factory=list[Progress])

    def __post_init__(self) -> None:
        self._simulation = _Seeded(self.web, self.into, delay=self.delay)
        self._transport = SyntheticTransport(self.web)

    def play(self, story: Callable[[], Awaitable[R]]) -> R:
        """Runs a story that crawls, waits and crawls again."""

        async def played() -> R:
            return await story()

        return run_virtual(played())

    async def crawl(self) -> Progress:
        """One run of the command, to its end."""
        clock = VirtualClock(asyncio.get_running_loop())
        transport = TroubledTransport(self._transport, self.outage)
        around: Surroundings = self._simulation.surroundings(clock, transport)
        self._simulation.more_seeds = self.more_seeds
        names = TroubledResolver(around.resolver, self.outage)
        around = self.adapt(replace(around, resolver=names, boot="one"))
        self.runs.append(await self._simulation.go_on(around))
        return self.runs[-1]

    @property
    def seeds(self) -> tuple[str, ...]:
        return self._simulation.plan().seeds

    @property
    def requests(self) -> list[ServedRequest]:
        return self._transport.requests

    def judge(self) -> Report:
        expected = reachable(self.web, self.seeds)
        terms = Terms(self.delay.total_seconds())
        return judge(self._transport.log(), terms, expected, read_outputs(self.into))

    def failed(self) -> Mapping[str, int]:
        return self.runs[-1].failed


async def until(instant_s: float) -> None:
    """Waits for an instant of the time line."""
    await asyncio.sleep(max(instant_s - asyncio.get_running_loop().time(), 0.0))
