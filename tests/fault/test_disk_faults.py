"""Disks that fail, become read-only or dawdle in the middle of a crawl (hardening.md C2, row 13)."""

import errno
import re
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from nephila_standalone.exit_codes import ExitCode
from nephila_testkit.faults import FailingMachine
from troubled_crawl import TroubledCrawl, small_web

pytestmark = pytest.mark.timeout(120)

STOPPED_WITHIN_S = 5.0
SLOWLY_S = 200.0
# The call that failed, and those that close and write down the fault: no second turn.
REFUSALS = 6


def crawl_on(machine: FailingMachine, folder: Path, network: int) -> TroubledCrawl:
    return TroubledCrawl(small_web(network), folder, environment=machine.environment)


def fsync_fails_once(machine: FailingMachine) -> None:
    """The next one would succeed, without what the kernel has dropped: it must not be believed."""
    machine.fail_syncs(errno.EIO, times=1)


def fsync_fails(machine: FailingMachine) -> None:
    machine.fail_syncs(errno.EIO)


def writes_fail(machine: FailingMachine) -> None:
    machine.refuse_writes(errno.EIO)


def becomes_read_only(machine: FailingMachine) -> None:
    machine.refuse_writes(errno.EROFS)


@pytest.mark.parametrize(
    ("befall", "told", "network"),
    [
        (fsync_fails_once, "fails: look after the disk", 104),
        pytest.param(fsync_fails, "fails: look after the disk", 105, marks=pytest.mark.long),
        pytest.param(writes_fail, "fails: look after the disk", 107, marks=pytest.mark.long),
        # A file of ours is told so by the system; SQLite, met first, says that the disk fails.
        (becomes_read_only, "read-only|fails: look after the disk", 106),
    ],
)
def test_a_failing_disk_stops_the_crawl_at_once_and_nothing_is_lost_when_it_goes_on(
    tmp_path: Path, befall: Callable[[FailingMachine], None], told: str, network: int
) -> None:
    with FailingMachine(tmp_path, tmp_path / "crawl") as machine:
        crawl = crawl_on(machine, tmp_path, network)
        with crawl.served():
            with crawl.running() as running:
                crawl.wait_for_events(20)
                befall(machine)
                began = time.monotonic()
                code, errors = running.end()
            assert time.monotonic() - began < STOPPED_WITHIN_S
            assert code == ExitCode.CANNOT_WRITE
            assert re.search(told, errors)
            assert errors.count("\n") == 1
            assert 1 <= machine.refusals <= REFUSALS
            machine.mend()
            with crawl.running() as running:
                assert running.end() == (ExitCode.DONE, "")
    report = crawl.judge(kills=1, repeats_allowed=crawl.shape.hosts)
    assert report.is_clean, report.to_json()


@pytest.mark.long
@pytest.mark.timeout(600)
def test_a_slow_disk_slows_the_crawl_and_does_nothing_else(tmp_path: Path) -> None:
    """Half a second an fsync, several of them a turn; memory does not grow with what waits."""
    with FailingMachine(tmp_path, tmp_path / "crawl") as machine:
        crawl = crawl_on(machine, tmp_path, 108)
        crawl.shape = replace(crawl.shape, hosts=12, pages_per_host=8)
        machine.slow_syncs(0.5)
        with crawl.served(), crawl.running() as running:
            crawl.wait_for_events(20, SLOWLY_S)
            early = running.resident_bytes()
            crawl.wait_for_events(60, SLOWLY_S)
            late = running.resident_bytes()
            assert running.end(SLOWLY_S) == (ExitCode.DONE, "")
    assert late < 1.25 * early
    report = crawl.judge()
    assert report.is_clean, report.to_json()
