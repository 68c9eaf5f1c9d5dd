"""How gently the frontier asks: delays, back-off, restarts."""

from datetime import timedelta
from itertools import pairwise

from frontier_crawls import TINY, Crawls, Words, urls_of
from frontier_driver import deferred, fetched
from nephila_contracts.v1.reason_pb2 import (
    REASON_BACKED_OFF,
    REASON_HANDED_BACK,
    REASON_PAUSED,
    REASON_ROBOTS_DISALLOWED,
    REASON_TIMED_OUT,
    REASON_TRIES_SPENT,
)
from nephila_frontier import Wait
from nephila_frontier.valve import ValveClosed


def test_a_host_is_never_leased_twice_at_once(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://a.test/2")
    assert len(crawl.dispatch()) == 1
    assert crawl.after(3600) == []


def test_the_delay_runs_from_the_end_of_the_answer(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://a.test/2")
    (first,) = crawl.dispatch()
    crawl.clock.at += 7
    crawl.complete(fetched(first))
    assert crawl.after(1 - TINY) == []
    assert urls_of(crawl.after(2 * TINY)) == ["http://a.test/2"]


def test_sub_domains_are_no_way_round_the_delay(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit(*(f"http://h{n}.a.test/" for n in range(50)))
    (first,) = crawl.dispatch()
    assert crawl.after(10) == []
    crawl.complete(fetched(first))
    assert crawl.after(1 - TINY) == []
    assert len(crawl.after(2 * TINY)) == 1


def test_without_a_site_delay_hosts_go_side_by_side(crawls: Crawls) -> None:
    crawl = crawls(site_delay=timedelta())
    crawl.admit("http://h1.a.test/", "http://h2.a.test/")
    requests = crawl.dispatch()
    assert len(requests) == 2
    assert {request.attempt.site_key for request in requests} == {"a.test"}


def test_an_address_is_asked_ten_times_a_second_whatever_it_serves(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit(*(f"http://a{n}.test/{path}" for n in range(30) for path in "12"))
    crawl.complete(*(fetched(request, ip="192.0.2.1") for request in crawl.dispatch()))
    crawl.clock.at += 1
    times: list[float] = []
    while len(times) < 30:
        times += [crawl.clock.at] * len(crawl.dispatch())
        crawl.clock.at += 0.03
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert min(gaps) >= 0.1 - TINY
    assert max(gaps) <= 0.1 + 0.03 + TINY


def test_a_crawl_delay_is_kept_and_bounded(crawls: Crawls) -> None:
    for asked, kept in ((20_000, 20), (86_400_000, 300)):
        crawl = crawls()
        crawl.admit("http://a.test/1", "http://a.test/2", "http://a.test/3")
        crawl.complete(fetched(crawl.dispatch()[0], crawl_delay_ms=asked))
        assert crawl.after(kept - TINY) == []
        (second,) = crawl.after(2 * TINY)
        assert second.delay_ms == kept * 1000


def test_a_slow_host_is_asked_more_rarely_and_not_with_a_fixed_delay(crawls: Crawls) -> None:
    for factor, waited in ((5.0, 10.0), (0.0, 1.0)):
        crawl = crawls(delay_factor=factor)
        crawl.admit("http://a.test/1", "http://a.test/2")
        crawl.complete(fetched(crawl.dispatch()[0], elapsed_ms=2000))
        assert crawl.after(waited - TINY) == []
        assert len(crawl.after(2 * TINY)) == 1


def test_a_retry_after_is_obeyed_and_no_try_counted(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://a.test/2")
    (first,) = crawl.dispatch()
    crawl.complete(deferred(first, REASON_BACKED_OFF, http_status=503, retry_after_ms=7_200_000))
    assert crawl.after(7200 - TINY) == []
    (again,) = crawl.after(2 * TINY)
    assert again.attempt.url == first.attempt.url
    assert again.attempt.tries == 0
    assert again.attempt.attempt_id != first.attempt.attempt_id


def test_a_retry_after_counts_for_a_day_at_most(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1")
    (first,) = crawl.dispatch()
    crawl.complete(deferred(first, REASON_BACKED_OFF, retry_after_ms=10**10))
    assert crawl.after(86_400 - TINY) == []
    assert len(crawl.after(2 * TINY)) == 1


def test_back_off_doubles_to_its_bound_and_ends_with_an_answer(crawls: Crawls) -> None:
    crawl = crawls(most_back_offs=100, delay_factor=0)
    crawl.admit("http://a.test/1", "http://a.test/2", "http://a.test/3")
    (request,) = crawl.dispatch()
    waits: list[float] = []
    for _ in range(14):
        crawl.complete(deferred(request, REASON_BACKED_OFF, http_status=429))
        began = crawl.clock.at
        while not (requests := crawl.dispatch()):
            crawl.clock.at += 0.5
        (request,) = requests
        waits.append(crawl.clock.at - began)
    for nth, wait in enumerate(waits):
        assert min(5 * 2**nth, 3600) <= wait <= min(5 * 2**nth * 1.1, 3600) + 0.5
    crawl.complete(fetched(request))
    assert len(crawl.after(1 + TINY)) == 1


def test_the_third_time_out_gives_the_url_up_with_a_verdict(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1")
    attempts: list[str] = []
    for tries in range(3):
        (request,) = crawl.after(7200)
        attempts.append(request.attempt.attempt_id)
        assert request.attempt.tries == tries
        assert crawl.parsed == []
        crawl.complete(deferred(request, REASON_TIMED_OUT))
    (verdict,) = crawl.parsed
    assert verdict.reason == REASON_TRIES_SPENT
    assert verdict.attempt.attempt_id == attempts[-1]
    assert crawl.after(7200) == []
    assert crawl.view.status().queued == 0


def test_a_url_that_is_always_503_does_not_block_its_host_for_ever(crawls: Crawls) -> None:
    crawl = crawls(most_back_offs=3)
    crawl.admit("http://a.test/1", "http://a.test/2")
    for _ in range(3):
        (request,) = crawl.after(3600)
        crawl.complete(deferred(request, REASON_BACKED_OFF, http_status=503))
    assert [verdict.reason for verdict in crawl.parsed] == [REASON_TRIES_SPENT]
    assert urls_of(crawl.after(3600)) == ["http://a.test/2"]


def test_pause_and_handing_back_count_no_try(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1")
    for reason in (REASON_PAUSED, REASON_HANDED_BACK) * 3:
        (request,) = crawl.after(30)
        assert request.attempt.tries == 0
        crawl.complete(deferred(request, reason, request_sent=False))
        assert crawl.after(0.5) == []
    assert crawl.parsed == []


def test_no_delay_is_spent_where_nothing_was_sent(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://a.test/2")
    (first,) = crawl.dispatch()
    crawl.complete(fetched(first, reason=REASON_ROBOTS_DISALLOWED, request_sent=False))
    assert urls_of(crawl.dispatch()) == ["http://a.test/2"]


def test_a_stuck_host_does_not_slow_others(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://stuck.test/", *(f"http://a{n}.test/{p}" for n in range(5) for p in "123"))
    first = crawl.dispatch()
    assert len(first) == 6
    crawl.complete(*(fetched(r) for r in first if r.attempt.host != "stuck.test"))
    assert len(crawl.fetch_all(2.1)) == 10


def test_the_valve_closes_for_lag_disk_and_pause_and_opens_again(crawls: Crawls) -> None:
    crawl = crawls(most_lag=1)
    crawl.admit("http://a.test/")
    crawl.downstream.waiting = 2
    assert crawl.dispatch() == []
    assert crawl.view.status().closed == ValveClosed.LAG
    crawl.downstream.waiting, crawl.downstream.low = 1, True
    assert crawl.dispatch() == []
    assert crawl.view.status().closed == ValveClosed.DISK_LOW
    crawl.downstream.low = False
    crawl.view.pause()
    assert crawl.dispatch() == []
    crawl.view.resume()
    assert len(crawl.dispatch()) == 1


def test_after_a_restart_every_host_waits_its_whole_delay_and_back_off(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://b.test/1", "http://c.test/1", "http://c.test/2")
    by_host = {request.attempt.host: request for request in crawl.dispatch()}
    crawl.complete(deferred(by_host["a.test"], REASON_BACKED_OFF, retry_after_ms=100_000))
    crawl.complete(fetched(by_host["b.test"]))
    crawl.complete(fetched(by_host["c.test"], crawl_delay_ms=5000))
    crawl.admit("http://b.test/2")
    crawl.start()
    assert crawl.after(1 - TINY) == []
    assert urls_of(crawl.after(2 * TINY)) == ["http://b.test/2"]
    assert urls_of(crawl.after(4)) == ["http://c.test/2"]
    assert crawl.after(94.9) == []
    assert urls_of(crawl.after(0.2)) == ["http://a.test/1"]


def test_after_a_restart_a_site_waits_its_delay_too(crawls: Crawls) -> None:
    crawl = crawls(site_delay=timedelta(seconds=10))
    crawl.admit("http://h1.a.test/", "http://h2.a.test/")
    crawl.complete(fetched(crawl.dispatch()[0]))
    crawl.start()
    assert crawl.after(10 - TINY) == []
    assert len(crawl.after(2 * TINY)) == 1


def test_a_held_host_waits_and_others_go_on(crawls: Crawls) -> None:
    crawl = crawls(overrides=Words({"a.test"}, {"b.test": 5.0}))
    crawl.admit("http://a.test/1", "http://b.test/1", "http://b.test/2")
    (request,) = crawl.dispatch()
    assert (request.attempt.host, request.delay_ms) == ("b.test", 5000)
    crawl.complete(fetched(request))
    assert crawl.after(4.9) == []
    assert urls_of(crawl.after(0.2)) == ["http://b.test/2"]
    assert crawl.view.status().waiting[0].why == Wait.HELD
    crawl.words.paused.clear()
    assert urls_of(crawl.after(30)) == ["http://a.test/1"]


def test_a_wait_that_is_asked_for_is_kept_whatever_it_came_with(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://b.test/1")
    one, other = crawl.dispatch()
    crawl.complete(
        deferred(one, REASON_HANDED_BACK, retry_after_ms=120_000),
        fetched(other, retry_after_ms=60_000),
    )
    crawl.admit("http://b.test/2")
    assert crawl.after(60 - TINY) == []
    assert urls_of(crawl.after(2 * TINY)) == ["http://b.test/2"]
    assert crawl.after(59) == []
    assert urls_of(crawl.after(1 + TINY)) == ["http://a.test/1"]
