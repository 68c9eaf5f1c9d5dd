"""What is written into DIR/nephila.log."""

import json
from pathlib import Path

from nephila_standalone.fault_log import FaultLog


def test_a_crawl_without_faults_leaves_no_log(tmp_path: Path) -> None:
    log = FaultLog(tmp_path / "nephila.log", lambda: 1000)
    log.info("fetched", url="https://a.test/")
    assert not (tmp_path / "nephila.log").exists()


def test_a_fault_is_one_line_with_its_facts_and_its_instant(tmp_path: Path) -> None:
    log = FaultLog(tmp_path / "nephila.log", lambda: 1000).bind(service="parser")
    log.warning("a page was not parsed", url="https://a.test/\n", fault="MemoryError: ")
    log.error("run ended")
    first, second = map(json.loads, (tmp_path / "nephila.log").read_text().splitlines())
    assert first == {
        "at_unix_ms": 1000,
        "level": "warning",
        "event": "a page was not parsed",
        "service": "parser",
        "url": "https://a.test/\n",
        "fault": "MemoryError: ",
    }
    assert (second["level"], second["service"]) == ("error", "parser")


def test_a_disk_that_takes_no_line_stops_nobody(tmp_path: Path) -> None:
    FaultLog(tmp_path / "absent" / "nephila.log", lambda: 1000).error("run ended")
