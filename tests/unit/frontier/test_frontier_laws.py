"""What the frontier promises, one law each."""

import cProfile
import random
from collections.abc import Iterator
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from nephila_contracts.v1.fetch_pb2 import FetchRequested
from nephila_contracts.v1.reason_pb2 import (
    REASON_BACKED_OFF,
    REASON_GONE,
    REASON_HANDED_BACK,
    REASON_LOST,
    REASON_PAUSED,
    REASON_ROBOTS_DISALLOWED,
    REASON_TIMED_OUT,
    REASON_TRIES_SPENT,
    Reason,
)
from nephila_contracts.v1.url_pb2 import (
    DISCOVERY_SOURCE_SEED,
    URL_KIND_SITEMAP,
    Origin,
    Validators,
)
from nephila_frontier import Budget, FrontierSettings, FrontierView, Wait, build_frontier
from nephila_frontier.budget import BudgetSpent
from nephila_frontier.valve import ValveClosed
from nephila_runtime import Clock, Poison, Service
from nephila_storage.sqlite_frontier_store import SqliteFrontierStore
from nephila_testkit.frontier_driver import (
    FrontierDriver,
    SettableDownstream,
    admitted,
    deferred,
    fetched,
    host_asked,
    inline,
)

# Waits are whole seconds on a clock that counts in doubles.
TINY = 1e-6


class Words:
    """What an operator says."""

    def __init__(self, paused: set[str], delays: dict[str, float]) -> None:
        self.paused = paused
        self._delays = delays

    def held(self, host: str, site_key: str) -> Reason | None:
        return REASON_PAUSED if host in self.paused else None

    def delay(self, host: str, site_key: str) -> float | None:
        return self._delays.get(host)


class Crawl(FrontierDriver):
    """A driven frontier with what its host sees of it."""

    view: FrontierView

    def __init__(
        self, budget: Budget | None = None, overrides: Words | None = None, **settings: Any
    ) -> None:
        self._budget = budget or Budget()
        self.words = overrides or Words(set(), {})
        self._settings = FrontierSettings(**settings)
        super().__init__(self._build_frontier)

    def _build_frontier(
        self, store: SqliteFrontierStore, downstream: SettableDownstream, clock: Clock
    ) -> Service:
        rng = random.Random(1)
        service, self.view = build_frontier(
            self._settings,
            store,
            downstream,
            clock,
            rng,
            budget=self._budget,
            overrides=self.words,
        )
        return service


class Crawls:
    """Makes crawls and closes them."""

    def __init__(self) -> None:
        self.made: list[Crawl] = []

    def __call__(self, budget: Budget | None = None, **settings: Any) -> Crawl:
        self.made.append(Crawl(budget, **settings))
        return self.made[-1]


@pytest.fixture
def crawls() -> Iterator[Crawls]:
    made = Crawls()
    yield made
    for crawl in made.made:
        crawl.close()


def urls_of(requests: list[FetchRequested]) -> list[str]:
    return [request.attempt.url for request in requests]


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
    for asked, kept in ((20_000, 20), (86_400_000, 60)):
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


def test_copies_of_a_batch_are_queued_once(crawls: Crawls) -> None:
    crawl = crawls()
    messages = [
        admitted(f"http://a.test/{n}", origin=Origin(topic="d", offset=n // 3, index=n % 3))
        for n in range(9)
    ]
    records = [crawl.record(message) for message in messages]
    crawl.step("admit", records)
    # The same records again, and the same messages at new offsets, also after a restart.
    crawl.step("admit", records)
    crawl.step("admit", [crawl.record(message) for message in messages])
    crawl.start()
    crawl.step("admit", [crawl.record(message) for message in messages[4:]])
    assert crawl.view.status().queued == 9
    assert len(crawl.fetch_all()) == 9


def test_a_due_url_that_waits_or_is_out_is_dropped(crawls: Crawls) -> None:
    crawl = crawls()
    validators = Validators(etag='"x"', last_modified="Tue")
    crawl.due("http://a.test/1", "http://a.test/1", validators=validators)
    crawl.due("http://a.test/1")
    crawl.start()
    crawl.due("http://a.test/1")
    (request,) = crawl.after(2)
    assert (request.validators.etag, request.validators.last_modified) == ('"x"', "Tue")
    crawl.due("http://a.test/1")
    assert crawl.view.status().queued == 0
    crawl.complete(fetched(request))
    crawl.due("http://a.test/1")
    assert crawl.view.status().queued == 1


def test_a_message_without_a_url_is_poison(crawls: Crawls) -> None:
    crawl = crawls()
    good, bad = admitted("http://a.test/"), admitted("http://a.test/")
    bad.url = "a.test"
    records = [crawl.record(good), crawl.record(bad)]
    with pytest.raises(Poison) as poison:
        crawl.step("admit", records)
    assert poison.value.record is records[1]
    assert crawl.view.status().queued == 0


def test_seeds_and_sitemaps_go_before_deep_links(crawls: Crawls) -> None:
    crawl = crawls(most_leases=1)
    for n in range(40):
        crawl.admit(f"http://deep{n}.test/", depth=9)
    crawl.admit("http://map.test/", kind=URL_KIND_SITEMAP, depth=9)
    crawl.admit("http://seed.test/", source=DISCOVERY_SOURCE_SEED)
    order = [host_asked(request.attempt) for request in crawl.fetch_all()]
    assert set(order[:4]) >= {"map.test", "seed.test"}
    assert len(order) == 42


def test_no_class_starves_within_a_host(crawls: Crawls) -> None:
    crawl = crawls(host_delay=timedelta(), site_delay=timedelta(), ip_interval=timedelta())
    for depth in (0, 2, 4, 9):
        crawl.admit(*(f"http://a.test/{depth}/{n}" for n in range(100)), depth=depth)
    order = [request.attempt.depth for request in crawl.fetch_all()]
    # Weights 8, 4, 2 and 1 of the turns while all wait.
    assert [order[:75].count(depth) for depth in (0, 2, 4, 9)] == pytest.approx(
        [40, 20, 10, 5], 0.1
    )
    assert len(order) == 400


def test_capacity_is_split_between_new_and_known_urls(crawls: Crawls) -> None:
    crawl = crawls(most_leases=1)
    crawl.admit(*(f"http://new{n}.test/" for n in range(200)))
    crawl.due(*(f"http://fast{n}.test/" for n in range(200)), importance=1.0)
    crawl.due(*(f"http://slow{n}.test/" for n in range(200)), importance=0.1)
    order = [host_asked(request.attempt)[:3] for request in crawl.fetch_all()]
    shares = [order[:200].count(kind) for kind in ("new", "fas", "slo")]
    assert shares == pytest.approx([120, 60, 20], abs=3)
    assert len(order) == 600


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


def test_queues_longer_than_their_heads_keep_their_order(crawls: Crawls) -> None:
    crawl = crawls(heads=4, segment_urls=7, entries_in_memory=6)
    wanted = [f"http://a.test/{n}" for n in range(60)]
    crawl.admit(*wanted)
    crawl.admit(*(f"http://b.test/{n}" for n in range(60)))
    seen = urls_of(crawl.fetch_all(40))
    crawl.start()
    seen += urls_of(crawl.fetch_all())
    assert [url for url in seen if "a.test" in url] == wanted
    assert len(seen) == 120
    assert crawl.database.row("SELECT count(*) FROM frontier_lease") == (0,)


def test_the_status_says_what_is_waited_for(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://b.test/1", "http://b.test/2", "http://c.test/1")
    by_host = {request.attempt.host: request for request in crawl.dispatch()}
    status = crawl.view.status()
    assert (status.queued, status.leased, status.hosts) == (1, 3, 3)
    assert status.next_in is None
    crawl.complete(deferred(by_host["a.test"], REASON_BACKED_OFF, retry_after_ms=100_000))
    crawl.complete(fetched(by_host["b.test"], crawl_delay_ms=5000))
    status = crawl.view.status()
    assert [(w.host, w.seconds, w.why) for w in status.waiting] == [
        ("b.test", 5.0, Wait.CRAWL_DELAY),
        ("a.test", 100.0, Wait.BACK_OFF),
    ]
    assert (status.next_in, status.backed_off) == (5.0, 1)
    assert [busy.urls for busy in status.busiest] == [1, 1, 1] or status.busiest[0].urls == 2


def test_after_a_restart_a_site_waits_its_delay_too(crawls: Crawls) -> None:
    crawl = crawls(site_delay=timedelta(seconds=10))
    crawl.admit("http://h1.a.test/", "http://h2.a.test/")
    crawl.complete(fetched(crawl.dispatch()[0]))
    crawl.start()
    assert crawl.after(10 - TINY) == []
    assert len(crawl.after(2 * TINY)) == 1


def test_five_times_the_hosts_cost_a_dispatch_hardly_more(crawls: Crawls) -> None:
    """Counts calls instead of time."""
    calls: list[int] = []
    for hosts in (10_000, 50_000):
        crawl = crawls(entries_in_memory=0, ip_interval=timedelta())
        for begin in range(0, hosts, 1000):
            crawl.admit(*(f"http://h{n}.test/" for n in range(begin, begin + 1000)))
        profile = cProfile.Profile()
        profile.enable()
        for _ in range(3):
            crawl.complete(*(fetched(request) for request in crawl.after(0.05)))
        profile.disable()
        calls.append(sum(entry.callcount for entry in profile.getstats()))
    assert calls[1] < 1.1 * calls[0]


def test_bounds_of_one_still_let_everything_through(crawls: Crawls) -> None:
    crawl = crawls(most_leases=1, most_lag=0, heads=1, entries_in_memory=0, segment_urls=1)
    crawl.admit(*(f"http://a{n % 3}.test/{n}" for n in range(12)))
    assert len(crawl.fetch_all(100)) == 12


def test_revoked_partitions_leave_nothing_behind(crawls: Crawls) -> None:
    crawl = crawls()
    crawl.admit("http://a.test/1", "http://b.test/1")
    crawl.dispatch()
    inline(crawl.service.revoked((0,)))
    status = crawl.view.status()
    assert (status.queued, status.leased, status.hosts, status.next_in) == (0, 0, 0, None)
    assert crawl.after(100) == []


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


def test_the_same_seed_gives_the_same_order(crawls: Crawls) -> None:
    orders: list[list[str]] = []
    for _ in range(2):
        crawl = crawls(most_leases=4)
        crawl.admit(*(f"http://h{n % 7}.a{n % 5}.test/{n}" for n in range(100)), depth=2)
        crawl.admit(*(f"http://h{n % 7}.a{n % 5}.test/d{n}" for n in range(50)), depth=5)
        orders.append(urls_of(crawl.fetch_all()))
    assert orders[0] == orders[1]
    assert len(orders[0]) == 150
