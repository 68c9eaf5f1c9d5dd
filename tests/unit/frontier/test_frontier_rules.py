"""The frontier's pure rules."""

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nephila_contracts.v1.url_pb2 import (
    DISCOVERY_SOURCE_LINK,
    DISCOVERY_SOURCE_SEED,
    DISCOVERY_SOURCE_SITEMAP,
    URL_KIND_FEED,
    URL_KIND_SITEMAP,
    URL_KIND_UNSPECIFIED,
    UrlAdmitted,
    Validators,
)
from nephila_frontier import entry
from nephila_frontier.address_gate import AddressGate
from nephila_frontier.budget import Account, Budget
from nephila_frontier.capacity import CapacitySplit
from nephila_frontier.front_queues import ClassSelector, FrontQueues
from nephila_frontier.politeness import Politeness, usual_response_time
from nephila_frontier.priority import FAST, class_of_new
from nephila_frontier.settings import FrontierSettings
from nephila_frontier.valve import Valve, ValveClosed
from nephila_storage.frontier_store import QueuedUrl, Spent

POLITENESS = Politeness.of(FrontierSettings())
DAY_MS = 86_400_000
NOW_MS = 1_800_000_000_000


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        (UrlAdmitted(source=DISCOVERY_SOURCE_SEED), 0),
        (UrlAdmitted(kind=URL_KIND_SITEMAP, depth=9), 0),
        (UrlAdmitted(kind=URL_KIND_FEED, depth=9), 0),
        (UrlAdmitted(source=DISCOVERY_SOURCE_LINK, depth=1), 1),
        (UrlAdmitted(depth=3), 2),
        (UrlAdmitted(depth=6), 3),
        (UrlAdmitted(depth=7), 4),
        (UrlAdmitted(depth=7, priority=0.9), 1),
        (UrlAdmitted(depth=7, lastmod_unix_ms=NOW_MS - DAY_MS), 1),
        (UrlAdmitted(depth=7, lastmod_unix_ms=NOW_MS - 3 * DAY_MS), 4),
        # A date in the future says nothing.
        (UrlAdmitted(depth=7, lastmod_unix_ms=NOW_MS + DAY_MS), 4),
        (UrlAdmitted(depth=7, source=DISCOVERY_SOURCE_SITEMAP), 2),
        (UrlAdmitted(depth=1, source=DISCOVERY_SOURCE_SITEMAP, priority=0.1), 3),
    ],
)
def test_the_table_of_classes_holds(url: UrlAdmitted, wanted: int) -> None:
    assert class_of_new(url, NOW_MS) == wanted


@given(st.lists(st.floats(0.5, 20), min_size=1, max_size=6))
def test_each_class_gets_its_weight_of_the_turns(weights: list[float]) -> None:
    selector, everybody = ClassSelector(weights), range(len(weights))
    turns = Counter(selector.pick(everybody) for _ in range(1000))
    for index, weight in enumerate(weights):
        assert turns[index] == pytest.approx(1000 * weight / sum(weights), abs=len(weights))


def test_capacity_that_a_lane_leaves_goes_to_the_others() -> None:
    split = CapacitySplit((0.6, 0.3, 0.1))
    assert [split.pick((2,)) for _ in range(50)] == [2] * 50
    turns = Counter(split.pick((0, 1, 2)) for _ in range(1000))
    assert [turns[lane] for lane in range(3)] == pytest.approx([600, 300, 100], abs=2)
    turns = Counter(split.pick((0, 2)) for _ in range(1000))
    assert turns[0] > turns[2] > 0


def test_a_lane_that_was_idle_does_not_shut_out_the_others() -> None:
    split = CapacitySplit((0.6, 0.3, 0.1), burst=20)
    for _ in range(10_000):
        split.pick((1, 2))
    turns = [split.pick((0, 1, 2)) for _ in range(200)]
    assert turns[:60].count(0) < 60
    assert turns[100:].count(1) >= 25


def test_front_queues_serve_first_come_first_within_a_class() -> None:
    queues: FrontQueues[str] = FrontQueues(CapacitySplit((0.6, 0.3, 0.1)))
    queues.put(2, "a")
    queues.put(2, "b")
    queues.put(2, "woken", first=True)
    queues.put(FAST, "known")
    assert len(queues) == 4
    taken = [queues.take() for _ in range(5)]
    assert [turn for turn in taken if turn != "known"] == ["woken", "a", "b", None]
    assert "known" in taken


def test_the_longest_of_the_delays_is_kept_within_its_bounds() -> None:
    assert POLITENESS.delay(0, 0, None) == 1
    assert POLITENESS.delay(5, 0, None) == 5
    assert POLITENESS.delay(10_000, 0, None) == 300
    assert POLITENESS.delay(0, 0.5, None) == 2.5
    assert POLITENESS.delay(0, 100, None) == 30
    # An override replaces default and adaptation, not robots.txt.
    assert POLITENESS.delay(0, 100, 0.05) == 0.05
    assert POLITENESS.delay(5, 100, 0.05) == 5


@given(st.integers(1, 10_000), st.floats(0, 1e7), st.floats(0, 1))
def test_back_off_is_bounded_and_never_under_retry_after(
    failures: int, retry_after: float, chance: float
) -> None:
    wait = POLITENESS.back_off(failures, retry_after, chance)
    assert min(retry_after, 86_400) <= wait <= 86_400
    assert wait >= POLITENESS.back_off(max(failures - 1, 1), retry_after, 0)
    assert retry_after > 3600 or wait <= 3600


def test_the_usual_response_time_follows_the_newest() -> None:
    usual = usual_response_time(0.0, 2.0)
    assert usual == 2.0
    for _ in range(20):
        usual = usual_response_time(usual, 0.1)
    assert usual == pytest.approx(0.1, abs=0.01)


@given(st.lists(st.booleans(), max_size=20))
def test_an_address_lets_one_through_each_interval_in_order(arrives: list[bool]) -> None:
    gate: AddressGate[str] = AddressGate(1.0)
    turns, now = [f"turn {n}" for n in range(8)], 0.0
    arrivals, passed = list(turns), list[tuple[float, str]]()
    while len(passed) < len(turns):
        ready = [woken] if (woken := gate.woken(now)) is not None else []
        if arrivals and (not arrives or arrives.pop()):
            ready.append(arrivals.pop(0))
        passed += [(now, turn) for turn in ready if gate.passes("192.0.2.1", turn, now)]
        now += 0.3
    assert [turn for _, turn in passed] == turns
    assert all(later[0] - earlier[0] >= 1.0 for earlier, later in pairwise(passed))


def test_a_woken_turn_that_leaves_wakes_the_next() -> None:
    gate: AddressGate[str] = AddressGate(1.0)
    assert [gate.passes("192.0.2.1", turn, 0.0) for turn in "abc"] == [True, False, False]
    assert gate.woken(1.0) == "b"
    assert gate.woken(1.0) is None
    gate.leaves("192.0.2.1", "b")
    assert gate.woken(1.0) == "c"
    assert gate.passes("192.0.2.1", "c", 1.0)


def test_idle_addresses_are_forgotten() -> None:
    gate: AddressGate[int] = AddressGate(1.0)
    for n in range(10_000):
        assert gate.passes(f"address {n}", n, float(n))
    assert gate.known() < 2_100


@given(
    st.booleans(),
    st.sampled_from((URL_KIND_UNSPECIFIED, URL_KIND_SITEMAP, URL_KIND_FEED)),
    st.integers(0, 31),
    st.integers(0, 10**6),
)
def test_traits_come_back_as_they_were(secure: bool, kind: int, hops: int, depth: int) -> None:
    url = ("https" if secure else "http") + "://a.test:81/x?y"
    parts = entry.cut(url)
    assert parts == (secure, "a.test:81", "/x?y")
    traits = entry.pack_traits(secure, entry.kind_of(kind << 1), hops, depth)
    assert entry.url_of("a.test:81", QueuedUrl(0, "/x?y", traits, None)) == url
    assert entry.is_secure(traits) == secure
    assert (entry.kind_of(traits), entry.redirect_hops_of(traits)) == (kind, hops)
    assert entry.depth_of(traits) == depth


@pytest.mark.parametrize("url", ["", "a.test", "http://", "http:///x", "ftp://a.test/", "http://a"])
def test_what_is_no_canonical_url_is_not_cut(url: str) -> None:
    assert entry.cut(url) is None


def test_validators_come_back_as_they_were() -> None:
    validators = Validators(etag='W/"1"', last_modified="Tue, 01 Jan 2030 00:00:00 GMT")
    assert entry.unpack_validators(entry.pack_validators(validators)) == validators
    assert entry.pack_validators(Validators()) is None
    assert entry.unpack_validators(None) is None


def test_time_is_paid_in_whole_milliseconds_and_none_is_lost() -> None:
    account = Account(Budget(), 0.0)
    for n in range(1, 10_001):
        account.pay(n * 0.0007)
    assert account.spent.milliseconds == pytest.approx(7000, abs=1)
    account.resume(Spent(1, 2, 3), 100.0)
    assert account.pay(101.0, pages=1, body_bytes=5) == Spent(2, 7, 1003)


def test_the_valve_names_its_first_reason() -> None:
    valve = Valve(most_lag=0)
    assert valve.closed(spent=False, disk_low=False, lag=0) is None
    assert valve.closed(spent=False, disk_low=False, lag=1) == ValveClosed.LAG
    assert valve.closed(spent=False, disk_low=True, lag=1) == ValveClosed.DISK_LOW
    assert valve.closed(spent=True, disk_low=True, lag=1) == ValveClosed.BUDGET_SPENT
    valve.paused = True
    assert valve.closed(spent=True, disk_low=True, lag=1) == ValveClosed.PAUSED
