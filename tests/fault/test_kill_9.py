"""kill -9 of the whole process tree and of parsers alone: nothing lost, nobody harmed, no repair.

Thirty kills here; `make chaos KILLS=150` goes on longer.
"""

import random
from pathlib import Path

import pytest
from killed_crawls import POINTS, Killings, in_two_lanes

pytestmark = pytest.mark.timeout(300)

OPENING_S = 5.0


def check(tally: Killings) -> None:
    print(tally.line())
    assert tally.broken() == [], tally.line()
    assert tally.slowest_opening_s < OPENING_S
    assert tally.orphans == 0


def test_a_crawl_killed_at_any_instant_loses_nothing_and_harms_nobody(tmp_path: Path) -> None:
    kinds = ["instant", "instant", "parser", "instant"]
    check(in_two_lanes(kinds, 15, tmp_path, seed=1, network=80))


def test_a_crawl_killed_at_every_named_point_loses_nothing_and_harms_nobody(tmp_path: Path) -> None:
    kinds = [*POINTS, "within commit"]
    random.Random(2).shuffle(kinds)
    check(in_two_lanes(kinds, 15, tmp_path, seed=2, network=82))
