"""Every host goes away in the middle of a crawl and comes back (hardening.md C2, row 34).

On simulated time, but for one outage of real sockets.
"""

import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from nephila_standalone.exit_codes import ExitCode
from nephila_standalone.progress import FinishReason
from nephila_testkit.web import SyntheticWeb, WebShape
from outages import Outage, OutageCrawl, Trouble, until
from troubled_crawl import SHORT_BACK_OFF, TroubledCrawl, small_web

WEB = SyntheticWeb(WebShape(seed=5, hosts=6, pages_per_host=15, hosts_per_site=1).calm())
# 5, 10, 20, 40, 80 and 160 s between them, each up to a tenth longer: six or seven in four minutes.
TRIES_IN_FOUR_MINUTES = 7


def outage_of(trouble: Trouble, minutes: float, retry_after_s: int = 0) -> Outage:
    return Outage(trouble, 10.0, 10.0 + 60 * minutes, retry_after_s)


@pytest.mark.parametrize("trouble", [Trouble.REFUSED, Trouble.UNREACHABLE, Trouble.STORM])
def test_hosts_that_were_away_for_minutes_cost_no_page_and_were_asked_ever_more_rarely(
    tmp_path: Path, trouble: Trouble
) -> None:
    crawl = OutageCrawl(WEB, tmp_path, outage_of(trouble, minutes=4))
    ended = crawl.play(crawl.crawl)
    assert ended.finish is FinishReason.NOTHING_LEFT
    report = crawl.judge()
    assert report.is_clean, report.to_json()
    assert len(crawl.outage.tried) == WEB.shape.hosts
    assert crawl.outage.most_tries() <= TRIES_IN_FOUR_MINUTES


def test_a_retry_after_is_waited_for_and_one_request_finds_out_that_the_host_is_back(
    tmp_path: Path,
) -> None:
    crawl = OutageCrawl(WEB, tmp_path, outage_of(Trouble.STORM, minutes=1, retry_after_s=200))
    ended = crawl.play(crawl.crawl)
    assert ended.finish is FinishReason.NOTHING_LEFT
    report = crawl.judge()
    assert report.is_clean, report.to_json()
    assert crawl.outage.most_tries() == 1


@pytest.mark.parametrize("trouble", [Trouble.REFUSED, Trouble.UNREACHABLE, Trouble.STORM])
def test_a_crawl_whose_hosts_stay_away_ends_for_now_and_goes_on_when_they_are_back(
    tmp_path: Path, trouble: Trouble
) -> None:
    crawl = OutageCrawl(WEB, tmp_path, outage_of(trouble, minutes=90))

    async def story() -> None:
        first = await crawl.crawl()
        assert first.finish is FinishReason.HOSTS_AWAY
        assert first.queued > 0
        await until(crawl.outage.until_s)
        last = await crawl.crawl()
        assert last.finish is FinishReason.NOTHING_LEFT

    crawl.play(story)
    report = crawl.judge()
    assert report.is_clean, report.to_json()


def test_an_hour_asked_for_runs_on_while_nobody_crawls(tmp_path: Path) -> None:
    crawl = OutageCrawl(WEB, tmp_path, outage_of(Trouble.STORM, minutes=5, retry_after_s=3600))

    async def story() -> None:
        assert (await crawl.crawl()).finish is FinishReason.HOSTS_AWAY
        requests = len(crawl.requests)
        for minutes in (1, 30, 50):
            await until(60 * minutes)
            assert (await crawl.crawl()).finish is FinishReason.HOSTS_AWAY
        assert len(crawl.requests) == requests
        await until(60 * 62)
        assert (await crawl.crawl()).finish is FinishReason.NOTHING_LEFT

    crawl.play(story)
    report = crawl.judge()
    assert report.is_clean, report.to_json()


def test_hosts_that_take_requests_and_never_answer_cost_at_most_a_page_each_and_that_is_told(
    tmp_path: Path,
) -> None:
    """Only the page itself can be blamed for a third time-out: else one bad page would block its host."""
    crawl = OutageCrawl(WEB, tmp_path, outage_of(Trouble.SILENT, minutes=4))
    crawl.play(crawl.crawl)
    assert 1 <= crawl.failed()["TIMED_OUT"] <= WEB.shape.hosts
    assert "TRIES_SPENT" not in crawl.failed()
    laws = {finding.law for finding in crawl.judge().findings if finding.violations}
    assert laws == {"I1 lost"}


def test_servers_that_are_down_for_seconds_cost_no_page(tmp_path: Path) -> None:
    crawl = TroubledCrawl(small_web(112), tmp_path)
    with ExitStack() as stack:
        with crawl.served():
            running = stack.enter_context(crawl.running(**SHORT_BACK_OFF))
            crawl.wait_for_events(15)
        time.sleep(2.0)
        with crawl.served():
            assert running.end() == (ExitCode.DONE, "")
    report = crawl.judge()
    assert report.is_clean, report.to_json()
