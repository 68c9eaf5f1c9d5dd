"""Logs become evidence: events of one request are put together, whatever was cut short."""

import json
from pathlib import Path

import pytest
from nephila_testkit.realweb import read_access_log
from nephila_testkit.web.served import read_log

OPEN = {"ev": "open", "connection": 1, "at": 1.0}
REQUEST = {"ev": "request", "connection": 1, "host": "h", "target": "/a", "arrived_s": 1.1}
END = {"ev": "end", "connection": 1, "ended_s": 1.3, "status": 200, "whole": True}
CLOSE = {"ev": "close", "connection": 1, "at": 2.0}


def written(folder: Path, *events: object, cut: str = "") -> Path:
    path = folder / "log"
    path.write_text("".join(json.dumps(event) + "\n" for event in events) + cut)
    return path


def test_a_request_is_put_together_from_its_events(tmp_path: Path) -> None:
    log = read_log(written(tmp_path, OPEN, REQUEST, END, CLOSE))
    (request,) = log.requests
    assert (request.url, request.arrived_s, request.ended_s) == ("http://h/a", 1.1, 1.3)
    assert (log.opened, log.left_open, log.most_open) == (1, 0, 1)


def test_a_request_whose_connection_closes_ends_there_and_is_not_whole(tmp_path: Path) -> None:
    (request,) = read_log(written(tmp_path, OPEN, REQUEST, CLOSE)).requests
    assert (request.ended_s, request.whole) == (2.0, False)


def test_a_request_still_under_way_has_no_end_and_a_cut_line_is_left_out(tmp_path: Path) -> None:
    log = read_log(written(tmp_path, OPEN, REQUEST, cut='{"ev":"end","conn'))
    assert log.requests[0].ended_s is None
    assert log.left_open == 1


def test_nginx_tells_the_end_and_how_long_it_took(tmp_path: Path) -> None:
    told = {
        "ended": 100.5,
        "took": 0.25,
        "connection": 3,
        "status": 200,
        "bytes": 7,
        "host": "PG.test:8066",
        "target": "/robots.txt",
        "agent": "x",
        "completion": "OK",
    }
    (request,) = read_access_log(written(tmp_path, told)).requests
    assert request.arrived_s == pytest.approx(100.25)
    assert (request.host, request.role, request.whole) == ("pg.test:8066", "robots", True)
    assert "Allow: /release-15" in request.robots
