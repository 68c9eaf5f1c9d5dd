"""Retry-After, with everything that servers send instead."""

import json
from datetime import datetime, timedelta

import pytest
from nephila_fetcher.retry_after import parse_http_date, retry_after
from nephila_testkit import shared_data

_DAY = timedelta(days=1)
_NOW_MS = 1_559_559_600_000  # 2019-06-03T11:00:00Z


def test_urllib3s_cases() -> None:
    with shared_data.path("http-dates/retry_after_urllib3.jsonl").open() as lines:
        rows = [json.loads(line) for line in lines]
    for row in rows:
        wait = retry_after(row["retry_after"], date="", wall_ms=_NOW_MS, at_most=_DAY)
        expected = None if row.get("invalid") else timedelta(seconds=row["seconds"])
        assert wait == expected, row


def test_http_dates_mean_what_curl_says_they_mean() -> None:
    """curl reads far more than HTTP's three forms: what we read at all must agree."""
    with shared_data.path("http-dates/curl_getdate.jsonl").open() as lines:
        rows = [json.loads(line) for line in lines]
    read = 0
    for row in rows:
        parsed = parse_http_date(row["in"])
        if parsed is not None and row["epoch"] != -1:
            read += 1
            assert int(parsed.timestamp()) == row["epoch"], row
    assert read >= 5


@pytest.mark.parametrize("value", ["-1", "1.5", "", "soon", "1e3", "0x10", "\u00b2", "1;2", "- 5"])
def test_what_is_no_wait_is_none(value: str) -> None:
    assert retry_after(value, date="", wall_ms=_NOW_MS, at_most=_DAY) is None


@pytest.mark.parametrize("value", ["9" * 5000, "99999999999", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_an_absurd_wait_is_cut(value: str) -> None:
    assert retry_after(value, date="", wall_ms=_NOW_MS, at_most=_DAY) == _DAY


def test_a_past_date_is_no_wait() -> None:
    past = "Thu, 01 Jan 1970 00:00:00 GMT"
    assert retry_after(past, date="", wall_ms=_NOW_MS, at_most=_DAY) == timedelta()


def test_a_date_counts_from_the_servers_own_clock() -> None:
    """A server whose clock is an hour ahead, asking for a minute, gets a minute."""
    wait = retry_after(
        "Mon, 03 Jun 2019 12:01:00 GMT",
        date="Mon, 03 Jun 2019 12:00:00 GMT",
        wall_ms=_NOW_MS,
        at_most=_DAY,
    )
    assert wait == timedelta(minutes=1)


def test_impossible_dates_are_no_dates() -> None:
    assert parse_http_date("Mon, 31 Feb 2019 12:00:00 GMT") is None
    assert parse_http_date("Mon, 03 Foo 2019 12:00:00 GMT") is None
    leap = parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT")
    assert isinstance(leap, datetime)
