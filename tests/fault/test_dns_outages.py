"""The name server fails in the middle of a crawl and is back (hardening.md C2, row 29).

On simulated time, but for a real server that is late.
A rebound name, a thousand times: tests/integration/fetcher/test_no_forbidden_connection.py.
"""

import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from nephila_standalone.exit_codes import ExitCode
from nephila_standalone.progress import FinishReason
from nephila_testkit.free_ports import free_udp_port
from nephila_testkit.web import SyntheticWeb, WebShape, dns_server
from outages import Outage, OutageCrawl, Trouble, until
from troubled_crawl import TroubledCrawl, small_web

SHAPE = WebShape(seed=6, hosts=6, pages_per_host=15, hosts_per_site=1).calm()
FAILURES = (Trouble.SERVFAIL, Trouble.NO_DNS_ANSWER)


@pytest.mark.parametrize("trouble", FAILURES)
def test_a_name_server_that_is_away_in_mid_crawl_costs_no_page(
    tmp_path: Path, trouble: Trouble
) -> None:
    """With a page in twenty seconds a host, the names run out in the middle of the crawl."""
    web = SyntheticWeb(replace(SHAPE, pages_per_host=25))
    outage = Outage(trouble, 200.0, 500.0)
    crawl = OutageCrawl(web, tmp_path, outage, delay=timedelta(seconds=20))
    assert crawl.play(crawl.crawl).finish is FinishReason.NOTHING_LEFT
    report = crawl.judge()
    assert report.is_clean, report.to_json()
    assert len(outage.tried) == SHAPE.hosts
    # A failure is remembered for half a minute.
    assert outage.most_tries() <= 7


@pytest.mark.parametrize("trouble", FAILURES)
def test_a_minute_without_a_name_server_costs_no_page_of_hosts_never_met_before(
    tmp_path: Path, trouble: Trouble
) -> None:
    """Three tries, each with a query of its own."""
    crawl = OutageCrawl(SyntheticWeb(SHAPE), tmp_path, Outage(trouble, 0.0, 55.0))
    assert crawl.play(crawl.crawl).finish is FinishReason.NOTHING_LEFT
    report = crawl.judge()
    assert report.is_clean, report.to_json()
    assert crawl.outage.most_tries() == 2


@pytest.mark.parametrize("trouble", FAILURES)
def test_seeds_that_met_no_name_server_are_crawled_by_the_next_run(
    tmp_path: Path, trouble: Trouble
) -> None:
    crawl = OutageCrawl(SyntheticWeb(SHAPE), tmp_path, Outage(trouble, 0.0, 1800.0))

    async def story() -> None:
        first = await crawl.crawl()
        assert first.pages == 0
        assert first.failed == {"DNS_FAILED": SHAPE.hosts}
        await until(1800.0)
        assert (await crawl.crawl()).finish is FinishReason.NOTHING_LEFT

    crawl.play(story)
    report = crawl.judge()
    assert report.is_clean, report.to_json()


def test_names_that_do_not_exist_are_asked_for_once_and_do_not_hold_up_the_others(
    tmp_path: Path,
) -> None:
    calm = OutageCrawl(SyntheticWeb(SHAPE), tmp_path / "calm", Outage(Trouble.NXDOMAIN, 0.0, 0.0))
    assert calm.play(calm.crawl).finish is FinishReason.NOTHING_LEFT
    names = 1000
    burst = OutageCrawl(SyntheticWeb(SHAPE), tmp_path / "burst", Outage(Trouble.NXDOMAIN, 0.0, 0.0))
    burst.more_seeds = tuple(f"http://n{n}.nowhere{n}.test/" for n in range(names))
    ended = burst.play(burst.crawl)
    assert ended.finish is FinishReason.NOTHING_LEFT
    assert ended.failed["NO_SUCH_HOST"] == names
    report = burst.judge()
    assert report.is_clean, report.to_json()
    assert ended.elapsed <= 1.1 * calm.runs[0].elapsed + 1.0


@pytest.mark.long
def test_a_name_server_that_comes_up_after_the_crawl_is_asked_again(tmp_path: Path) -> None:
    shape = small_web(113, addressing="name", hosts_per_site=1)
    port = free_udp_port()
    crawl = TroubledCrawl(shape, tmp_path, options=("--dns", f"127.0.0.1:{port}"))
    with crawl.served(), crawl.running() as running:
        time.sleep(5.0)
        with dns_server.running(dns_server.zone_of(SyntheticWeb(shape).addresses()), port):
            assert running.end(within_s=100) == (ExitCode.DONE, "")
    report = crawl.judge()
    assert report.is_clean, report.to_json()
