"""The whole pipeline on a virtual clock over the synthetic web: one call, one crawl, the same each time."""

import asyncio
import hashlib
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from nephila_fetcher import AddressGuard, NoSuchHost, Resolved, Transport
from nephila_parser import ParserSettings, build_inline_pool
from nephila_runtime.database import Database
from nephila_runtime.embedded_host import EmbeddedHost, EmbeddedSettings, commit_inline
from nephila_runtime.virtual_time import VirtualClock, run_virtual
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import DirectoryPaths
from nephila_standalone.pipeline import CrawlRun
from nephila_standalone.progress import Progress
from nephila_standalone.settings import StandaloneSettings
from nephila_standalone.surroundings import Surroundings, nowhere
from nephila_testkit.web.graph import SyntheticWeb
from nephila_testkit.web.served import ServerLog
from nephila_testkit.web.virtual_network import SyntheticResolver, SyntheticTransport
from nephila_urls import ScopeKind


async def no_sync(_descriptor: int) -> None:
    """A simulation outlives its process's death, not a power cut."""


@dataclass
class SimulatedCrawl:
    """How a simulated crawl went: its last progress, and what the servers saw."""

    progress: Progress
    log: ServerLog
    seconds: float
    """Simulated."""


@dataclass
class Simulation:
    """A crawl of a synthetic web into a directory, on a clock of its own."""

    web: SyntheticWeb
    into: Path
    seed: int = 1
    delay: timedelta | None = timedelta(seconds=1)
    host: EmbeddedSettings = field(default_factory=EmbeddedSettings)
    reach: Callable[[str], None] = nowhere
    make_host: Callable[..., EmbeddedHost] = EmbeddedHost

    def plan(self) -> CrawlPlan:
        shape = self.web.shape
        return CrawlPlan(
            seeds=tuple(f"{shape.origin(host)}/" for host in range(shape.hosts)),
            into=self.into,
            scope=ScopeKind.ANY,
            delay=self.delay,
            allow_networks=(),
            workers=0,
        )

    def run(self) -> SimulatedCrawl:
        return run_virtual(self._crawl())

    async def _crawl(self) -> SimulatedCrawl:
        loop = asyncio.get_running_loop()
        clock = VirtualClock(loop)
        transport = SyntheticTransport(self.web, wall=lambda: clock.wall_ms() / 1000)
        last = await self.go_on(self.surroundings(clock, transport))
        return SimulatedCrawl(last, transport.log(), loop.time())

    def surroundings(self, clock: VirtualClock, transport: Transport) -> Surroundings:
        return Surroundings(
            clock=clock,
            rng=random.Random(self.seed),
            transport=transport,
            resolver=SyntheticResolver(self.web, Resolved, NoSuchHost),
            guard=AddressGuard(["127.0.0.0/8"]),
            parsers=build_inline_pool(ParserSettings()),
            sync=no_sync,
            open_database=Database.open_for_simulation,
            commit=commit_inline,
            host=self.host,
            reach=self.reach,
            make_host=self.make_host,
        )

    async def go_on(self, around: Surroundings) -> Progress:
        """One run of the command, from what stands in the directory to the end."""
        paths = DirectoryPaths(self.into)
        paths.warc.mkdir(parents=True, exist_ok=True)
        settings, stop = StandaloneSettings(), asyncio.Event()
        run = CrawlRun(self.plan(), paths, around, settings, lambda _: None, stop)
        return await run.to_end()


def event_hash(into: Path) -> str:
    """Of everything that a crawl handed out: events, links, stored records, in their order."""
    digest = hashlib.sha256()
    for path in [into / "page_fetched.ndjson", into / "links.ndjson", *sorted(into.glob("warc/*"))]:
        digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()
