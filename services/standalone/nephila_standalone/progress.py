"""What a running crawl tells of itself: plain numbers, told ten times a second by `drive`."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from typing import Protocol

from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import CrawlDirectory

# A fetch ends within 30 s, its parse and commit soon after: a drain that takes longer is cut
# off, which loses nothing.
DRAIN_LIMIT = timedelta(seconds=40)


class CrawlState(StrEnum):
    """Where a run stands."""

    # Opens its stores and takes back the leases of the run before.
    STARTING = "starting"
    CRAWLING = "crawling"
    # No new fetch is begun; what is under way is finished and kept.
    DRAINING = "draining"
    # No new fetch is begun until `Progress.paused_by` is mended; goes on by itself.
    PAUSED = "paused"
    DONE = "done"


class FinishReason(StrEnum):
    """Why a run ended."""

    # No lag, no queue, no lease.
    NOTHING_LEFT = "nothing is left"
    PAGE_BUDGET = "the budget of pages is spent"
    BYTE_BUDGET = "the budget of bytes is spent"
    TIME_BUDGET = "the budget of time is spent"
    # URLs are left whose hosts do not answer, or asked to be left alone for long.
    HOSTS_AWAY = "the hosts that are left do not answer now"
    STOPPED = "it was stopped"


class WaitReason(StrEnum):
    """What a host is being waited for."""

    CRAWL_DELAY = "crawl delay"
    # After 429, 503, time-outs and the like, or as long as Retry-After asked for.
    BACK_OFF = "backing off"
    HELD = "paused or blocklisted"
    TURN = "its turn"


@dataclass(frozen=True, slots=True)
class Waiting:
    """A host that has URLs queued and is not asked just now. `seconds` are those still to wait; 0 when
    that is not known."""

    host: str
    seconds: float
    why: WaitReason


@dataclass(frozen=True, slots=True)
class HostActivity:
    """A host, with the pages fetched from it in this run and the URLs queued for it."""

    host: str
    fetched: int
    queued: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A snapshot of a run. Counts are over DIR's life; `elapsed` and `pages_per_second` of this run.

    `failed` and `refused` count URLs by the name of their reason code without its prefix, such as
    "TIMED_OUT". `busiest` has the most fetched hosts first, `waiting` the shortest wait first; both
    are cut to a handful.
    """

    state: CrawlState = CrawlState.STARTING
    # Seconds since this run began.
    elapsed: float = 0.0
    # Pages fetched: final attempts that brought a page.
    pages: int = 0
    # Those of `pages` that earlier runs on DIR fetched.
    pages_before: int = 0
    # Over the last ten seconds or so.
    pages_per_second: float = 0.0
    # Bytes of body received.
    bytes: int = 0
    queued: int = 0
    # Handed to the fetcher and not back yet.
    leased: int = 0
    # Pages equal or nearly equal to another one.
    duplicates: int = 0
    failed: Mapping[str, int] = field(default_factory=dict[str, int])
    refused: Mapping[str, int] = field(default_factory=dict[str, int])
    busiest: tuple[HostActivity, ...] = ()
    waiting: tuple[Waiting, ...] = ()
    # While paused: what for, as a clause ("the disk of DIR is full").
    paused_by: str = ""
    # Once done: why.
    finish: FinishReason | None = None


class RunCrawl(Protocol):
    """What `pipeline.run_crawl` is: runs the plan on DIR until nothing is left, a budget is spent, or
    `stop` is set and what was under way is done. Returns the last snapshot, with its `finish`.

    A failing disk comes out as the OSError or sqlite3 error that it was.
    """

    async def __call__(
        self,
        plan: CrawlPlan,
        directory: CrawlDirectory,
        *,
        on_progress: Callable[[Progress], None],
        stop: asyncio.Event,
    ) -> Progress: ...
