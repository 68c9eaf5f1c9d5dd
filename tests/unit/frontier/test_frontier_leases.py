"""Leases, outcomes, budgets and the valve."""

from datetime import timedelta

from frontier_crawls import Crawls, urls_of
from frontier_driver import admitted, fetched, inline
from nephila_contracts.v1.reason_pb2 import REASON_GONE, REASON_LOST
from nephila_contracts.v1.url_pb2 import URL_KIND_SITEMAP
from nephila_frontier import Budget
from nephila_frontier.budget import BudgetSpent
from nephila_frontier.valve import ValveClosed
from nephila_runtime import Record


def test_a_new_url_goes_out_at_once_with_all_that_is_known_of_it(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("https://www.a.test:8443/x?y=1", depth=3, redirect_hops=2)
    (request,) = crawl.dispatch()
    attempt = request.attempt
    assert attempt.url == "https://www.a.test:8443/x?y=1"
    assert (attempt.host, attempt.site_key) == ("www.a.test:8443", "a.test")
    assert (attempt.depth, attempt.redirect_hops, attempt.tries) == (3, 2, 0)
    assert attempt.attempt_id == f"0.{attempt.sequence}"
    assert (request.wait_ms, request.delay_ms) == (0, 1000)
    assert not request.HasField("validators")


def test_leases_are_bounded(crawls: Crawls) -> None:
    crawl = crawls(most_leases=3)
    crawl.admit(*(f"http://a{n}.test/" for n in range(10)))
    requests = crawl.dispatch()
    assert len(requests) == 3
    assert crawl.dispatch() == []
    crawl.complete(fetched(requests[0]))
    assert len(crawl.dispatch()) == 1


def test_the_budget_of_pages_is_never_overshot(crawls: Crawls) -> None:
    crawl = crawls(Budget(pages=5))
    crawl.admit(*(f"http://a{n}.test/" for n in range(20)))
    requests = crawl.dispatch()
    assert len(requests) == 5
    assert crawl.view.status().over is None
    # What brought no page leaves room for another.
    crawl.complete(fetched(requests[0], reason=REASON_GONE, http_status=404))
    crawl.start()
    crawl.complete(*(fetched(request) for request in requests[1:]))
    (last,) = crawl.after(10)
    assert crawl.after(10) == []
    crawl.complete(fetched(last))
    status = crawl.view.status()
    assert (status.over, status.closed) == (BudgetSpent.PAGES, ValveClosed.BUDGET_SPENT)
    assert (status.spent.pages, status.leased) == (5, 0)
    crawl.start()
    assert crawl.after(100) == []


def test_sitemaps_are_no_pages_of_the_budget(crawls: Crawls) -> None:
    crawl = crawls(Budget(pages=1))
    crawl.admit("http://a.test/map", kind=URL_KIND_SITEMAP)
    crawl.complete(fetched(crawl.dispatch()[0]))
    crawl.admit("http://b.test/")
    assert len(crawl.dispatch()) == 1


def test_budgets_of_bytes_and_time_close_the_valve(crawls: Crawls) -> None:
    crawl = crawls(Budget(body_bytes=1000, time=timedelta(seconds=60)))
    crawl.admit("http://a.test/1", "http://a.test/2")
    crawl.complete(fetched(crawl.dispatch()[0], body_bytes=999))
    crawl.complete(fetched(crawl.after(2)[0], body_bytes=1))
    assert crawl.view.status().over == BudgetSpent.BODY_BYTES
    crawl = crawls(Budget(time=timedelta(seconds=60)))
    crawl.clock.at += 40
    crawl.expire()
    crawl.clock.at += 100
    crawl.start()
    crawl.clock.at += 21
    assert crawl.view.status().over == BudgetSpent.TIME


def test_epochs_only_grow(crawls: Crawls) -> None:
    crawl = crawls()
    sequences: list[int] = []
    for n in range(3):
        crawl.admit(f"http://a{n}.test/")
        sequences.append(crawl.after(2)[0].attempt.sequence)
        crawl.start()
    assert [sequence >> 40 for sequence in sequences] == [1, 2, 3]


def test_an_outcome_of_the_run_before_is_taken(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://a.test/2")
    (request,) = crawl.dispatch()
    crawl.start()
    assert crawl.after(100) == []
    crawl.complete(fetched(request))
    assert urls_of(crawl.after(1)) == ["http://a.test/2"]


def test_a_lost_lease_of_the_run_before_is_published_again_under_its_attempt_id(
    crawls: Crawls,
) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1")
    (request,) = crawl.dispatch()
    crawl.downstream.fetched = 0
    crawl.start()
    for _ in range(100):
        crawl.clock.at += 60
        assert crawl.expire() == []
    crawl.downstream.fetched = 1
    assert crawl.expire() == []
    crawl.clock.at += 10
    (again,) = crawl.expire()
    assert again.attempt.attempt_id == request.attempt.attempt_id
    assert again.attempt.sequence > request.attempt.sequence
    assert again.attempt.tries == 0
    crawl.start()
    crawl.complete(fetched(again))
    assert (crawl.view.status().queued, crawl.view.status().leased) == (0, 0)


def test_an_outage_of_the_fetchers_spends_no_lease(crawls: Crawls) -> None:
    crawl = crawls(lease_time=timedelta(seconds=60))
    crawl.admit("http://a.test/1")
    crawl.downstream.fetched = 0
    (request,) = crawl.dispatch()
    for _ in range(50):
        crawl.clock.at += 60
        crawl.expire()
    crawl.downstream.fetched = 1
    crawl.expire()
    crawl.clock.at += 59
    crawl.expire()
    assert crawl.view.status().leased == 1
    crawl.clock.at += 1
    crawl.expire()
    assert crawl.view.status().leased == 0
    (again,) = crawl.after(1)
    assert (again.attempt.url, again.attempt.tries) == (request.attempt.url, 1)


def test_three_expired_leases_give_the_url_up_as_lost(crawls: Crawls) -> None:
    crawl = crawls(lease_time=timedelta(seconds=60))
    crawl.admit("http://a.test/1", "http://a.test/2")
    for _ in range(3):
        (request,) = crawl.after(2)
        assert request.attempt.url == "http://a.test/1"
        crawl.expire()
        crawl.clock.at += 60
        crawl.expire()
    (verdict,) = crawl.parsed
    assert (verdict.reason, verdict.attempt.url) == (REASON_LOST, "http://a.test/1")
    assert urls_of(crawl.after(2)) == ["http://a.test/2"]


def test_a_late_outcome_still_lets_the_url_go_and_keeps_the_delay(crawls: Crawls) -> None:
    crawl = crawls(lease_time=timedelta(seconds=60))
    crawl.admit("http://a.test/1", "http://a.test/2")
    (request,) = crawl.dispatch()
    crawl.expire()
    crawl.clock.at += 60
    crawl.expire()
    crawl.clock.at += 0.9
    crawl.complete(fetched(request))
    assert crawl.after(0.9) == []
    assert urls_of(crawl.after(0.2)) == ["http://a.test/2"]
    crawl.complete(fetched(request))
    assert crawl.view.status().leased == 1


def test_revoked_partitions_leave_nothing_behind(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://b.test/1")
    crawl.dispatch()
    inline(crawl.service.revoked((0,)))
    status = crawl.view.status()
    assert (status.queued, status.leased, status.hosts, status.next_in) == (0, 0, 0, None)
    assert crawl.after(100) == []


def test_partitions_are_apart_and_each_is_rebuilt(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.start((0, 3))
    for partition, host in ((0, "a.test"), (3, "b.test"), (3, "c.test")):
        messages = [admitted(f"http://{host}/{n}") for n in range(2)]
        offsets = enumerate(messages)
        crawl.step("admit", [Record(partition, n, m.site_key, m) for n, m in offsets])
    out = {request.attempt.host: request for request in crawl.dispatch()}
    assert [out[host].attempt.attempt_id[:2] for host in sorted(out)] == ["0.", "3.", "3."]
    crawl.start((0, 3))
    crawl.complete(*(fetched(request) for request in out.values()))
    inline(crawl.service.revoked((0,)))
    assert sorted(urls_of(crawl.after(2))) == ["http://b.test/1", "http://c.test/1"]
    assert crawl.view.status().hosts == 2
