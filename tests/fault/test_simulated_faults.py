"""Seeded faults on the virtual clock: whatever dies, stalls or comes twice, nothing is lost, nobody harmed.

`make simulate-faults SEEDS=1000` tries more; a failure names its seed and the command that replays it.
"""

import os
from pathlib import Path

import pytest
from faulty_simulation import FaultySimulation, faulty_web

pytestmark = pytest.mark.timeout(600)

FIRST = int(os.environ.get("SIMULATE_FIRST", "1"))
SEEDS = int(os.environ.get("SIMULATE_SEEDS", "200"))
AT_A_TIME = 25


@pytest.fixture(autouse=True)
def small_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """A memory of a million links takes a tenth of a second to make anew after each death."""
    monkeypatch.setenv("NEPHILA_PARSER_RECENT_LINKS", "1000")


def broken(seed: int, into: Path) -> list[str]:
    """What went wrong with a seed, and how to see it again; empty when nothing did."""
    crawl = FaultySimulation(faulty_web(seed), into, seed=seed).judged()
    if crawl.report.is_clean:
        return []
    replay = f"make simulate-faults FIRST={seed} SEEDS=1"
    return [f"seed {seed} ({replay}): {', '.join(crawl.happened)}: {crawl.report.to_json()}"]


@pytest.mark.parametrize("first", range(FIRST, FIRST + SEEDS, AT_A_TIME))
def test_faults_lose_nothing_and_harm_nobody(tmp_path: Path, first: int) -> None:
    faults: list[str] = []
    for seed in range(first, min(first + AT_A_TIME, FIRST + SEEDS)):
        faults += broken(seed, tmp_path / str(seed))
    assert not faults, "\n".join(faults)


def test_the_same_seed_is_the_same_run_bit_for_bit(tmp_path: Path) -> None:
    runs = [
        FaultySimulation(faulty_web(FIRST), tmp_path / str(number), seed=FIRST).judged()
        for number in range(2)
    ]
    assert runs[0].happened
    assert runs[0] == runs[1]
