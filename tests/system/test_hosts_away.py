"""What a crawl does about hosts that do not answer, on simulated time."""

from datetime import timedelta
from pathlib import Path

from nephila_standalone.progress import FinishReason
from nephila_testkit.web import SyntheticWeb, WebShape
from simulation import Simulation


def test_a_crawl_ends_for_now_when_only_hosts_that_do_not_answer_are_left(tmp_path: Path) -> None:
    web = SyntheticWeb(WebShape(seed=3, hosts=2, pages_per_host=5, robots_closed=100))
    crawl = Simulation(web, tmp_path, delay=timedelta(seconds=1)).run()
    assert crawl.progress.finish is FinishReason.HOSTS_AWAY
    # The first host of a synthetic web is always well; the other one never gives its robots.txt.
    assert crawl.progress.pages > 0
    assert crawl.progress.queued >= 1
    assert crawl.seconds < 3600
