"""The time of day jumps during a crawl (hardening.md C2, row 14). Monotonic clocks stay true."""

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from nephila_contracts.v1.reason_pb2 import REASON_CONNECTION_REFUSED, REASON_FETCHED
from nephila_runtime.database import Database
from nephila_runtime.virtual_time import VirtualClock
from nephila_standalone.exit_codes import ExitCode
from nephila_storage.sqlite_url_rows import SqliteUrlRows
from nephila_testkit.faults import FailingMachine
from nephila_testkit.web import SyntheticWeb, WebShape
from nephila_urls import CanonicalUrl
from outages import Outage, OutageCrawl, Trouble, until
from troubled_crawl import SHORT_BACK_OFF, TroubledCrawl, small_web

pytestmark = pytest.mark.timeout(120)

HOUR_S = 3600
TEN_YEARS_S = 3653 * 24 * HOUR_S


def test_a_clock_that_jumps_breaks_no_law(tmp_path: Path) -> None:
    """Servers ask for waits in seconds and by dates; all are kept."""
    shape = small_web(109, seed=7, pages_per_host=10, capricious_hosts=60, strange_retry_after=True)
    with FailingMachine(tmp_path, tmp_path / "crawl") as machine:
        crawl = TroubledCrawl(shape, tmp_path, environment=machine.environment)
        with crawl.served(), crawl.running(**SHORT_BACK_OFF) as running:
            for events, seconds in ((5, HOUR_S), (12, -HOUR_S), (20, TEN_YEARS_S), (28, 0)):
                crawl.wait_for_events(events)
                machine.step_clock(seconds)
            assert running.end() == (ExitCode.DONE, "")
    report = crawl.judge()
    assert report.is_clean, report.to_json()


@dataclass
class SteppedClock:
    """A simulated clock whose time of day is wrong."""

    true: VirtualClock
    step_s: int

    def now(self) -> float:
        return self.true.now()

    def wall_ms(self) -> int:
        return self.true.wall_ms() + self.step_s * 1000

    async def sleep(self, seconds: float) -> None:
        await self.true.sleep(seconds)


@pytest.mark.parametrize("step_s", [HOUR_S, TEN_YEARS_S])
def test_the_newer_state_wins_although_its_time_of_day_is_older(
    tmp_path: Path, step_s: int
) -> None:
    """The first run's clock is ahead, and no host answers it; the next run's is right."""
    web = SyntheticWeb(WebShape(hosts=2, pages_per_host=5).calm())
    crawl = OutageCrawl(web, tmp_path, Outage(Trouble.REFUSED, 0.0, 600.0))
    seed = crawl.seeds[0]

    async def story() -> None:
        crawl.adapt = lambda around: replace(
            around, clock=SteppedClock(VirtualClock(asyncio.get_running_loop()), step_s)
        )
        await crawl.crawl()
        assert last_reason(tmp_path, seed) == REASON_CONNECTION_REFUSED
        await until(600.0)
        crawl.adapt = lambda around: around
        await crawl.crawl()

    crawl.play(story)
    assert last_reason(tmp_path, seed) == REASON_FETCHED
    report = crawl.judge()
    assert report.is_clean, report.to_json()


def last_reason(into: Path, url: str) -> int:
    database = Database.open_read_only(into / "state.sqlite")
    try:
        row = SqliteUrlRows(database).read_row(CanonicalUrl(url))
    finally:
        database.close()
    assert row is not None
    assert row.fetch is not None
    return row.fetch.reason
