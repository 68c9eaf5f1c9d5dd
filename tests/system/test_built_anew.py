"""A run that fails is built anew from DIR, and the crawl goes on as if nothing had been."""

import json
from pathlib import Path

import pytest
from nephila_standalone.progress import FinishReason
from nephila_testkit.checker import Terms, judge
from nephila_testkit.web import SyntheticWeb, WebShape, reachable
from simulation import Simulation


class Fault:
    """Raises at the first passings of a point."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self, point: str) -> None:
        if point == "prepared" and self.left:
            self.left -= 1
            raise RuntimeError("a fault")


def test_a_fault_in_a_turn_is_outlived_and_written_down(tmp_path: Path) -> None:
    web = SyntheticWeb(WebShape(seed=5, hosts=2, pages_per_host=6))
    simulation = Simulation(web, tmp_path, reach=Fault(3))
    crawl = simulation.run()
    assert crawl.progress.finish is FinishReason.NOTHING_LEFT
    terms = Terms(delay_s=1.0, kills=3, repeats_allowed=6)
    report = judge(crawl.log, terms, reachable(web, simulation.plan().seeds))
    assert [finding for finding in report.findings if finding.violations] == []
    lines = [json.loads(line) for line in (tmp_path / "nephila.log").read_text().splitlines()]
    assert len(lines) == 3
    assert "a fault" in lines[0]["exception"]


def test_a_fault_that_stays_is_raised_in_the_end(tmp_path: Path) -> None:
    web = SyntheticWeb(WebShape(seed=5, hosts=1, pages_per_host=2))
    with pytest.raises(RuntimeError, match="a fault"):
        Simulation(web, tmp_path, reach=Fault(1000)).run()
