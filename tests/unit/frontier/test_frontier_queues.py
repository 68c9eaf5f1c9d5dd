"""What is queued, in which order it goes out, and what is shown of it."""

import cProfile
from datetime import timedelta

import pytest
from frontier_crawls import Crawls, urls_of
from frontier_driver import admitted, deferred, fetched, host_asked
from nephila_contracts.v1.reason_pb2 import REASON_BACKED_OFF
from nephila_contracts.v1.url_pb2 import DISCOVERY_SOURCE_SEED, URL_KIND_SITEMAP, Origin, Validators
from nephila_frontier import Wait
from nephila_runtime import Poison


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


def test_three_times_the_hosts_cost_a_dispatch_hardly_more(crawls: Crawls) -> None:
    """Counts calls instead of time."""
    calls: list[int] = []
    for hosts in (10_000, 30_000):
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


def test_the_same_seed_gives_the_same_order(crawls: Crawls) -> None:
    orders: list[list[str]] = []
    for _ in range(2):
        crawl = crawls(most_leases=4)
        crawl.admit(*(f"http://h{n % 7}.a{n % 5}.test/{n}" for n in range(100)), depth=2)
        crawl.admit(*(f"http://h{n % 7}.a{n % 5}.test/d{n}" for n in range(50)), depth=5)
        orders.append(urls_of(crawl.fetch_all()))
    assert orders[0] == orders[1]
    assert len(orders[0]) == 150
