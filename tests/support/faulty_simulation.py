"""A simulated crawl that dies, stalls and repeats itself, all by one seed: the same seed, the same run.

deaths      at a named point of a turn, or within a commit, a sync, or a wait: what was not
            committed is gone, requests under way break off, and a new run goes on in the same DIR
failures    the same, but within the process: it builds a new pipeline by itself
slow stores commits and syncs take up to a second
slow net    answers come and go late, so fetches end in any order
FaultyHost  messages come twice
"""

import asyncio
import hashlib
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

import httpx
from faulty_host import FaultyHost
from in_flight import in_flight
from nephila_runtime import Clock
from nephila_runtime.database import Database
from nephila_runtime.embedded_host import EmbeddedSettings, commit_inline
from nephila_runtime.virtual_time import VirtualClock, run_virtual
from nephila_standalone.directory import DirectoryPaths
from nephila_standalone.surroundings import Surroundings
from nephila_testkit.checker import Report, Terms, judge
from nephila_testkit.checker.outputs import read_outputs
from nephila_testkit.web import SyntheticWeb, WebShape, reachable
from nephila_testkit.web.virtual_network import SyntheticTransport
from simulation import Simulation, event_hash

_MOST_FAULTS = 3
_POINTS = ("handled", "synced", "prepared", "committing", "committed", "trim")
# Passed once in two seconds, not several times a second.
_RARE = ("trim",)
DELAY_S = 1.0


class Died(BaseException):
    """The process is gone."""


class Failed(Exception):
    """A store failed; the process goes on."""


@dataclass
class Faults:
    """When things go wrong, and what was in flight when they did."""

    rng: random.Random
    state: Path
    slowness: float
    """What all latencies are multiplied with."""
    happened: list[str] = field(default_factory=list[str])
    in_flight: int = 0
    _point: str = ""
    _passes_left: int = 0

    def lateness(self, power: int = 1) -> float:
        """Seconds up to `slowness`; a higher power makes long ones rare."""
        return self.rng.random() ** power * self.slowness

    def plan(self) -> None:
        """Decides on the next fault, if there is to be one."""
        self._point = ""
        if len(self.happened) < _MOST_FAULTS:
            self._point = self.rng.choice(_POINTS)
            self._passes_left = self.rng.randint(1, 5 if self._point in _RARE else 60)

    def reach(self, point: str) -> None:
        if point != self._point:
            return
        self._passes_left -= 1
        if self._passes_left > 0:
            return
        # A lease that is not committed as fetched may be fetched again.
        self.in_flight += in_flight(self.state)
        died = self.rng.random() < 0.7
        self.happened.append(f"{'died' if died else 'failed'} at {point}")
        self.plan()
        raise Died(point) if died else Failed(point)


class _LateTransport(httpx.AsyncBaseTransport):
    """A network that takes its time both ways."""

    def __init__(self, inner: httpx.AsyncBaseTransport, faults: Faults) -> None:
        self._inner = inner
        self._faults = faults

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await asyncio.sleep(self._faults.lateness() * 0.5)
        response = await self._inner.handle_async_request(request)
        await asyncio.sleep(self._faults.lateness() * 0.5)
        return response


@dataclass
class FaultySimulation(Simulation):
    """Runs until the crawl is at its end, however often it dies on the way."""

    host: EmbeddedSettings = field(
        # Small segments, so that trimming has something to do.
        default_factory=lambda: EmbeddedSettings(partitions=3, segment_bytes=20_000)
    )

    def judged(self) -> "JudgedCrawl":
        return run_virtual(self._judged())

    async def _judged(self) -> "JudgedCrawl":
        rng = random.Random(self.seed)
        faults = Faults(rng, DirectoryPaths(self.into).state, (1.0, 0.1)[self.seed % 2])
        clock = VirtualClock(asyncio.get_running_loop())
        seen = SyntheticTransport(self.web, wall=lambda: clock.wall_ms() / 1000)
        faults.plan()
        around = self._faulty(faults, clock, _LateTransport(seen, faults))
        while True:
            try:
                await self.go_on(around)
                break
            except Died:
                await clock.sleep(faults.lateness() * 2)
        terms = Terms(DELAY_S, kills=len(faults.happened), repeats_allowed=faults.in_flight)
        expected = reachable(self.web, self.plan().seeds)
        report = judge(seen.log(), terms, expected, read_outputs(self.into))
        told = repr(seen.requests).encode() + event_hash(self.into).encode()
        return JudgedCrawl(report, faults.happened, hashlib.sha256(told).hexdigest())

    def _faulty(
        self, faults: Faults, clock: VirtualClock, transport: httpx.AsyncBaseTransport
    ) -> Surroundings:
        self.reach, self.make_host = (
            faults.reach,
            partial(FaultyHost, faults.rng, 0.3 * faults.slowness),
        )
        plain = self.surroundings(clock, transport)
        return replace(
            plain, commit=partial(_commit_late, clock, faults), sync=_syncing_late(clock, faults)
        )


async def _commit_late(clock: Clock, faults: Faults, database: Database) -> None:
    await clock.sleep(faults.lateness(4))
    faults.reach("committing")
    await commit_inline(database)


def _syncing_late(clock: Clock, faults: Faults) -> Callable[[int], Awaitable[None]]:
    async def sync(_descriptor: int) -> None:
        await clock.sleep(faults.lateness(4))
        faults.reach("synced")

    return sync


@dataclass
class JudgedCrawl:
    """What the checker says, what had happened, and a hash over all evidence."""

    report: Report
    happened: list[str]
    evidence: str


def faulty_web(seed: int) -> SyntheticWeb:
    """Three hosts of eight pages, two of them of one site; every kind of page among some seeds."""
    shape = WebShape(
        seed=seed,
        hosts=3,
        pages_per_host=8,
        words_per_page=30,
        links_per_page=4,
        capricious_hosts=20,
        robots_moved=20,
    )
    return SyntheticWeb(shape)
