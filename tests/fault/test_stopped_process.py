"""The crawler is stopped and goes on as if no time had passed (hardening.md C2, row 4)."""

from pathlib import Path

import pytest
from nephila_standalone.exit_codes import ExitCode
from troubled_crawl import SHORT_BACK_OFF, TroubledCrawl, small_web

pytestmark = pytest.mark.timeout(180)


@pytest.mark.parametrize(
    ("seconds", "network"),
    [
        (4.0, 110),
        # Longer than any fetch may take: those under way are given up, and tried again.
        pytest.param(65.0, 111, marks=pytest.mark.long),
    ],
)
def test_a_stopped_crawl_goes_on_politely_and_loses_nothing(
    tmp_path: Path, seconds: float, network: int
) -> None:
    shape = small_web(
        network, pages_per_host=8, slow_hosts=50, slow_host_s=0.2, capricious_hosts=30
    )
    crawl = TroubledCrawl(shape, tmp_path)
    with crawl.served(), crawl.running(**SHORT_BACK_OFF) as running:
        crawl.wait_for_events(10)
        running.stop_for(seconds)
        assert running.end() == (ExitCode.DONE, "")
    # What was answered while it was stopped may be asked for again.
    report = crawl.judge(kills=1, repeats_allowed=shape.hosts)
    assert report.is_clean, report.to_json()
