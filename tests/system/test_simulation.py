"""The whole pipeline on a virtual clock over the synthetic web: whole, polite, and the same each time."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from nephila_runtime import ByKey, Service, WholeBatches
from nephila_runtime.embedded_host import EmbeddedHost, EmbeddedSettings
from nephila_testkit.checker import Report, Terms, judge
from nephila_testkit.checker.outputs import read_outputs
from nephila_testkit.web import SyntheticWeb, WebShape, reachable
from simulation import Simulation, event_hash

pytestmark = pytest.mark.timeout(300)

DELAY_S = 1.0


def judged(simulation: Simulation) -> Report:
    crawl = simulation.run()
    web = simulation.web
    expected = reachable(web, simulation.plan().seeds)
    return judge(crawl.log, Terms(DELAY_S), expected, read_outputs(simulation.into))


def test_ten_thousand_pages_are_crawled_whole_each_once_and_politely(tmp_path: Path) -> None:
    shape = WebShape(hosts=100, pages_per_host=100, words_per_page=60)
    report = judged(Simulation(SyntheticWeb(shape), tmp_path))
    assert report.is_clean, report.to_json()
    assert report.counts["expected"] > 10_000


def test_a_capricious_web_gets_the_rest_that_it_asks_for(tmp_path: Path) -> None:
    """Retry-After far beyond any delay or back-off of ours, robots.txt that fails, bodies that break off."""
    shape = WebShape(
        seed=5,
        hosts=12,
        pages_per_host=15,
        hosts_per_site=1,
        capricious_hosts=60,
        retry_after_s=90,
        strange_retry_after=True,
        robots_flaky=20,
        robots_closed=10,
        cuts=10,
        failing=5,
        resets=5,
    )
    report = judged(Simulation(SyntheticWeb(shape), tmp_path))
    assert report.is_clean, report.to_json()


def test_the_same_seed_gives_the_same_events(tmp_path: Path) -> None:
    web = SyntheticWeb(WebShape(seed=3, hosts=6, pages_per_host=20))
    hashes: list[str] = []
    for number in range(2):
        into = tmp_path / str(number)
        Simulation(web, into).run()
        hashes.append(event_hash(into))
    assert hashes[0] == hashes[1]


def test_another_seed_of_the_web_gives_other_events(tmp_path: Path) -> None:
    """Else the hash above would prove nothing."""
    hashes: set[str] = set()
    for seed in (3, 4):
        into = tmp_path / str(seed)
        Simulation(SyntheticWeb(WebShape(seed=seed, hosts=2, pages_per_host=5)), into).run()
        hashes.add(event_hash(into))
    assert len(hashes) == 2


def one_by_one(service: Service) -> Service:
    """The same service with every order at its least."""
    steps = tuple(
        replace(
            step,
            order=ByKey(1, step.order.key) if isinstance(step.order, ByKey) else WholeBatches(1),
        )
        for step in service.steps
    )
    return replace(service, steps=steps)


class NarrowHost(EmbeddedHost):
    """Hands in one record at a time."""

    def __init__(self, database: Any, services: Any, clock: Any, **given: Any) -> None:
        super().__init__(database, [one_by_one(service) for service in services], clock, **given)


LEAST: dict[str, str] = {
    "NEPHILA_FRONTIER_MOST_LEASES": "1",
    "NEPHILA_FRONTIER_HEADS": "1",
    "NEPHILA_FRONTIER_ENTRIES_IN_MEMORY": "0",
    "NEPHILA_FRONTIER_SEGMENT_URLS": "1",
    "NEPHILA_FRONTIER_MOST_LAG": "0",
    "NEPHILA_FETCHER_UNDER_WAY": "1",
    "NEPHILA_FETCHER_ROBOTS_CACHE_BYTES": "0",
    "NEPHILA_FETCHER_IDLE_CONNECTIONS": "0",
    "NEPHILA_PARSER_PAGES_A_WORKER": "1",
    "NEPHILA_PARSER_RECENT_LINKS": "1",
    "NEPHILA_URL_DEDUP_SEEN_SET_CAPACITY": "1",
    "NEPHILA_CONTENT_DEDUP_BATCH": "1",
    "NEPHILA_RECRAWL_SCHEDULER_BATCH": "1",
}


@pytest.fixture
def every_bound_at_its_least(monkeypatch: pytest.MonkeyPatch) -> EmbeddedSettings:
    for name, value in LEAST.items():
        monkeypatch.setenv(name, value)
    return EmbeddedSettings(partitions=1, segment_bytes=1, tail_bytes=0)


def test_with_every_bound_at_its_least_the_loop_does_not_block_itself(
    tmp_path: Path, every_bound_at_its_least: EmbeddedSettings
) -> None:
    shape = WebShape(hosts=3, pages_per_host=10)
    narrow = partial(Simulation, host=every_bound_at_its_least, make_host=NarrowHost)
    report = judged(narrow(SyntheticWeb(shape), tmp_path))
    assert report.is_clean, report.to_json()
