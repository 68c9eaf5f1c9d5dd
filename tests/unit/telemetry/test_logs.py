import io
import json
import logging

from nephila_telemetry import NO_LOGS
from nephila_telemetry.json_logs import json_logger


def test_a_line_is_json_with_time_service_url_and_attempt() -> None:
    output = io.StringIO()
    log = json_logger(output, lambda: 1234).bind(service="fetcher")
    log.warning("fetch failed", url="https://a.org/", attempt_id="0.7", reason="TIMED_OUT")
    assert json.loads(output.getvalue()) == {
        "at_unix_ms": 1234,
        "level": "warning",
        "service": "fetcher",
        "event": "fetch failed",
        "url": "https://a.org/",
        "attempt_id": "0.7",
        "reason": "TIMED_OUT",
    }


def test_a_hostile_url_steers_no_terminal_and_makes_no_second_line() -> None:
    output = io.StringIO()
    url = "https://a.org/\x1b[2J\r\n{}\x7f\x9b‮"
    json_logger(output, lambda: 0).info("met", url=url)
    line = output.getvalue()
    assert line.count("\n") == 1
    assert line.rstrip("\n").isascii()
    assert line.rstrip("\n").isprintable()
    assert json.loads(line)["url"] == url


def test_below_its_level_nothing_is_written() -> None:
    output = io.StringIO()
    log = json_logger(output, lambda: 0, logging.WARNING)
    log.debug("a")
    log.info("b")
    log.error("c")
    assert [json.loads(line)["event"] for line in output.getvalue().splitlines()] == ["c"]


def test_a_traceback_stays_on_its_line() -> None:
    output = io.StringIO()
    try:
        raise ValueError("no\nway")
    except ValueError:
        json_logger(output, lambda: 0).error("step failed", exc_info=True)
    (line,) = output.getvalue().splitlines()
    assert "ValueError: no" in json.loads(line)["exception"]


def test_what_is_not_json_is_shown_as_it_looks() -> None:
    output = io.StringIO()
    json_logger(output, lambda: 0).info("a", body=b"\xff", kinds={1: {2}})
    assert json.loads(output.getvalue())["body"] == "b'\\xff'"


def test_nothing_is_written_where_nobody_wants_logs() -> None:
    log = NO_LOGS.bind(service="x")
    log.debug("a")
    log.info("a")
    log.warning("a")
    log.error("a")
    assert log is NO_LOGS
