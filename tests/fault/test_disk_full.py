"""A disk that fills up in the middle of a crawl (hardening.md C2, row 12)."""

from pathlib import Path

import pytest
from nephila_standalone.exit_codes import ExitCode
from nephila_testkit.faults import SmallDisk
from troubled_crawl import TroubledCrawl, small_web

pytestmark = pytest.mark.timeout(120)

DISK_BYTES = 48_000_000
# Below the reserve of a disk of that size, a sixteenth, and far from nothing.
NEARLY_NOTHING = 2_500_000
RESUMED_WITHIN_S = 30.0
HOSTS = 6


def crawl_on(disk: SmallDisk, folder: Path, network: int) -> TroubledCrawl:
    crawl = TroubledCrawl(small_web(network), folder, before=disk.inside)
    crawl.into, crawl.seen = disk.folder / "crawl", disk.seen_from_here / "crawl"
    return crawl


@pytest.mark.parametrize(
    ("left", "network"), [(0, 100), pytest.param(NEARLY_NOTHING, 101, marks=pytest.mark.long)]
)
def test_a_full_disk_pauses_the_crawl_which_goes_on_by_itself_once_there_is_room(
    tmp_path: Path, left: int, network: int
) -> None:
    with SmallDisk(tmp_path / "disk", DISK_BYTES) as disk:
        crawl = crawl_on(disk, tmp_path, network)
        with crawl.served(), crawl.running() as running:
            crawl.wait_for_events(20)
            disk.fill(left)
            running.wait_for_line("paused, the disk of DIR is")
            stood_at = crawl.events()
            disk.make_room()
            resumed_after = crawl.wait_for_events(stood_at + 1)
            code, told = running.end()
        assert (code, told) == (ExitCode.DONE, "")
        assert resumed_after < RESUMED_WITHIN_S
        report = crawl.judge(kills=HOSTS, repeats_allowed=2 * HOSTS)
        assert report.is_clean, report.to_json()


@pytest.mark.parametrize(
    ("left", "network"), [pytest.param(0, 102, marks=pytest.mark.long), (NEARLY_NOTHING, 103)]
)
def test_a_disk_that_stays_full_ends_the_crawl_in_one_line_and_the_same_command_goes_on(
    tmp_path: Path, left: int, network: int
) -> None:
    with SmallDisk(tmp_path / "disk", DISK_BYTES) as disk:
        crawl = crawl_on(disk, tmp_path, network)
        with crawl.served():
            with crawl.running(NEPHILA_STANDALONE_DISK_PATIENCE="PT1S") as running:
                crawl.wait_for_events(20)
                disk.fill(left)
                code, told = running.end()
            assert code == ExitCode.CANNOT_WRITE
            assert "is full: make room" in told
            assert told.count("\n") == 1
            disk.make_room()
            with crawl.running() as running:
                code, told = running.end()
            assert (code, told) == (ExitCode.DONE, "")
        report = crawl.judge(kills=2, repeats_allowed=HOSTS)
        assert report.is_clean, report.to_json()
