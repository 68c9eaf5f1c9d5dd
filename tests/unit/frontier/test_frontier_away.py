"""Hosts that are away: their URLs outlive it, and waits run on while nobody crawls."""

import pytest
from frontier_crawls import Crawls, urls_of
from frontier_driver import deferred, fetched
from nephila_contracts.v1.reason_pb2 import (
    REASON_BACKED_OFF,
    REASON_CONNECTION_FAILED,
    REASON_CONNECTION_REFUSED,
    REASON_DNS_FAILED,
    REASON_ROBOTS_UNREACHABLE,
    REASON_TIMED_OUT,
    REASON_TRIES_SPENT,
    Reason,
)

AWAY = (
    (REASON_CONNECTION_REFUSED, False),
    (REASON_DNS_FAILED, False),
    (REASON_ROBOTS_UNREACHABLE, True),
    (REASON_TIMED_OUT, False),
    (REASON_CONNECTION_FAILED, False),
)
OF_THE_PAGE = ((REASON_TIMED_OUT, True), (REASON_CONNECTION_FAILED, True))
LONGER_THAN_ANY_BACK_OFF = 7200


@pytest.mark.parametrize(("reason", "sent"), AWAY)
def test_an_outage_of_a_host_that_has_answered_spends_no_try(
    crawls: Crawls, reason: Reason, sent: bool
) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://a.test/2")
    crawl.complete(fetched(crawl.dispatch()[0], ip="192.0.2.1"))
    for _ in range(6):
        (request,) = crawl.after(LONGER_THAN_ANY_BACK_OFF)
        assert request.attempt.tries == 0
        crawl.complete(deferred(request, reason, request_sent=sent))
    assert crawl.parsed == []
    assert urls_of(crawl.after(LONGER_THAN_ANY_BACK_OFF)) == ["http://a.test/2"]


@pytest.mark.parametrize(("reason", "sent"), AWAY)
def test_a_host_that_has_never_answered_gets_three_tries(
    crawls: Crawls, reason: Reason, sent: bool
) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1")
    for _ in range(3):
        (request,) = crawl.after(LONGER_THAN_ANY_BACK_OFF)
        crawl.complete(deferred(request, reason, request_sent=sent))
    assert [verdict.reason for verdict in crawl.parsed] == [REASON_TRIES_SPENT]


@pytest.mark.parametrize(("reason", "sent"), OF_THE_PAGE)
def test_a_page_that_never_comes_whole_does_not_block_its_host(
    crawls: Crawls, reason: Reason, sent: bool
) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://a.test/2")
    crawl.complete(fetched(crawl.dispatch()[0], ip="192.0.2.1"))
    for _ in range(3):
        (request,) = crawl.after(LONGER_THAN_ANY_BACK_OFF)
        crawl.complete(deferred(request, reason, request_sent=sent))
    assert [verdict.reason for verdict in crawl.parsed] == [REASON_TRIES_SPENT]


def test_an_away_host_does_not_keep_its_url_for_ever(crawls: Crawls) -> None:
    crawl = crawls(most_back_offs=3)
    crawl.admit("http://a.test/1", "http://a.test/2")
    crawl.complete(fetched(crawl.dispatch()[0], ip="192.0.2.1"))
    for _ in range(3):
        assert crawl.parsed == []
        (request,) = crawl.after(LONGER_THAN_ANY_BACK_OFF)
        crawl.complete(deferred(request, REASON_CONNECTION_REFUSED, request_sent=False))
    assert [verdict.reason for verdict in crawl.parsed] == [REASON_TRIES_SPENT]


def test_time_that_has_surely_passed_is_taken_off_a_wait_once(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1")
    crawl.complete(deferred(crawl.dispatch()[0], REASON_BACKED_OFF, retry_after_ms=100_000))
    for rested in (30.0, 20.0):
        crawl.rested = rested
        crawl.start()
    crawl.rested = 0.0
    crawl.start()
    assert crawl.after(49.9) == []
    assert urls_of(crawl.after(0.2)) == ["http://a.test/1"]
