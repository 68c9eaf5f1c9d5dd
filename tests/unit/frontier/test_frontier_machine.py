"""The frontier against a model: whatever comes, in whatever order, with restarts and crashes at any point,
no URL is lost, no host or site is asked too soon, and nothing is queued twice."""

import random
from collections import defaultdict
from datetime import timedelta
from math import inf
from typing import Any

from frontier_driver import (
    FrontierDriver,
    SettableDownstream,
    admitted,
    deferred,
    fetched,
)
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from nephila_contracts.v1.fetch_pb2 import FetchCompleted, FetchRequested
from nephila_contracts.v1.reason_pb2 import (
    REASON_BACKED_OFF,
    REASON_GONE,
    REASON_HANDED_BACK,
    REASON_TIMED_OUT,
)
from nephila_contracts.v1.url_pb2 import Origin
from nephila_frontier import FrontierSettings, FrontierView, build_frontier
from nephila_runtime import Clock, Record, Service
from nephila_storage.sqlite_frontier_store import SqliteFrontierStore

HOSTS = ("a.x.test", "b.x.test", "y.test", "z.test:8080")
DELAY, SITE_DELAY = 2.0, 1.0
TINY = 1e-6
SETTINGS = FrontierSettings(
    host_delay=timedelta(seconds=DELAY),
    site_delay=timedelta(seconds=SITE_DELAY),
    ip_interval=timedelta(seconds=0.25),
    delay_factor=0,
    heads=3,
    entries_in_memory=8,
    segment_urls=4,
    most_leases=3,
    most_back_offs=4,
    lease_time=timedelta(days=10_000),
)


class FrontierMachine(RuleBasedStateMachine):
    """The model knows each URL's fate, and when each host and site was asked last."""

    view: FrontierView

    def __init__(self) -> None:
        super().__init__()
        self.waiting: set[str] = set()
        self.out: dict[str, FetchRequested] = {}
        self.gone: list[str] = []
        self.not_before: dict[str, float] = defaultdict(lambda: -inf)
        self.origins = 0
        self.admitted: list[Record[Any]] = []
        self.outcomes: list[FetchCompleted] = []
        self.driver = FrontierDriver(self.build)

    def build(
        self, store: SqliteFrontierStore, downstream: SettableDownstream, clock: Clock
    ) -> Service:
        rng = random.Random(0)
        service, self.view = build_frontier(SETTINGS, store, downstream, clock, rng)
        return service

    def teardown(self) -> None:
        try:
            self.drain()
            assert not self.waiting
            assert not self.out
            assert len(self.gone) == len(set(self.gone)) == self.origins
        finally:
            self.driver.close()

    def drain(self) -> None:
        """Fetches all that is left."""
        for _ in range(100_000):
            if not self.waiting and not self.out:
                return
            for request in list(self.out.values()):
                self.finish(fetched(request))
            self.driver.clock.at += 0.5
            self.dispatch()

    @rule(hosts=st.lists(st.sampled_from(HOSTS), min_size=1, max_size=8), depth=st.integers(0, 8))
    def admit(self, hosts: list[str], depth: int) -> None:
        records: list[Record[Any]] = []
        for host in hosts:
            url = f"http://{host}/{self.origins}"
            self.waiting.add(url)
            origin = Origin(
                topic="url_discovered", offset=self.origins // 3, index=self.origins % 3
            )
            records.append(self.driver.record(admitted(url, origin=origin, depth=depth)))
            self.origins += 1
        self.admitted += records
        self.driver.step("admit", records)

    @precondition(lambda self: bool(self.admitted))
    @rule(data=st.data())
    def admit_copies(self, data: st.DataObject) -> None:
        record = data.draw(st.sampled_from(self.admitted))
        self.driver.step("admit", [record, self.driver.record(record.message)])

    @rule(seconds=st.sampled_from((0.1, 0.5, 1.0, 2.0, 10.0, 4000.0)))
    def wait(self, seconds: float) -> None:
        self.driver.clock.at += seconds
        self.driver.expire()

    @rule()
    def dispatch(self) -> None:
        now = self.driver.clock.at
        for request in self.driver.dispatch():
            attempt = request.attempt
            assert attempt.url in self.waiting
            assert attempt.attempt_id not in self.out
            assert now >= self.not_before[attempt.host] - TINY
            assert now >= self.not_before[attempt.site_key] - TINY
            assert attempt.site_key not in {r.attempt.site_key for r in self.out.values()}
            self.waiting.remove(attempt.url)
            self.out[attempt.attempt_id] = request

    @precondition(lambda self: bool(self.out))
    @rule(data=st.data(), final=st.booleans(), ip=st.sampled_from(("", "192.0.2.1", "192.0.2.2")))
    def answer(self, data: st.DataObject, final: bool, ip: str) -> None:
        request = self.draw_out(data)
        reason = REASON_GONE if final else REASON_TIMED_OUT
        if final:
            self.finish(fetched(request, reason=reason, http_status=404, ip=ip))
        else:
            self.put_off(deferred(request, reason))

    @precondition(lambda self: bool(self.out))
    @rule(data=st.data(), seconds=st.sampled_from((0, 1, 60, 5000)))
    def back_off(self, data: st.DataObject, seconds: int) -> None:
        request = self.draw_out(data)
        host = request.attempt.host
        self.put_off(deferred(request, REASON_BACKED_OFF, retry_after_ms=seconds * 1000))
        self.keep_away(host, float(seconds))

    @precondition(lambda self: bool(self.out))
    @rule(data=st.data())
    def hand_back(self, data: st.DataObject) -> None:
        request = self.draw_out(data)
        self.put_off(deferred(request, REASON_HANDED_BACK, request_sent=False))

    @precondition(lambda self: bool(self.outcomes))
    @rule(data=st.data())
    def repeat_an_outcome(self, data: st.DataObject) -> None:
        self.driver.complete(data.draw(st.sampled_from(self.outcomes)))

    @rule()
    def restart(self) -> None:
        self.driver.start()
        for host in HOSTS:
            if any(record.message.url.split("/")[2] == host for record in self.admitted):
                self.keep_away(host, DELAY)

    @rule()
    def crash_in_a_dispatch(self) -> None:
        self.driver.database.execute("BEGIN")
        self.driver.dispatch()
        self.driver.database.execute("ROLLBACK")
        self.restart()

    @precondition(lambda self: bool(self.out))
    @rule(data=st.data())
    def crash_in_a_release(self, data: st.DataObject) -> None:
        request = self.draw_out(data)
        self.driver.database.execute("BEGIN")
        self.driver.complete(fetched(request))
        self.driver.dispatch()
        self.driver.database.execute("ROLLBACK")
        self.restart()

    @invariant()
    def counts_agree(self) -> None:
        status = self.view.status()
        assert (status.queued, status.leased) == (len(self.waiting), len(self.out))

    def draw_out(self, data: st.DataObject) -> FetchRequested:
        return self.out[data.draw(st.sampled_from(sorted(self.out)))]

    def keep_away(self, key: str, seconds: float) -> None:
        self.not_before[key] = max(self.not_before[key], self.driver.clock.at + seconds)

    def finish(self, outcome: FetchCompleted) -> None:
        del self.out[outcome.attempt.attempt_id]
        self.gone.append(outcome.attempt.url)
        self.complete(outcome)

    def put_off(self, outcome: FetchCompleted) -> None:
        given_up = len(self.driver.parsed)
        del self.out[outcome.attempt.attempt_id]
        self.complete(outcome)
        if len(self.driver.parsed) > given_up:
            self.gone.append(outcome.attempt.url)
        else:
            self.waiting.add(outcome.attempt.url)

    def complete(self, outcome: FetchCompleted) -> None:
        self.driver.complete(outcome)
        self.outcomes.append(outcome)
        if outcome.request_sent:
            self.keep_away(outcome.attempt.host, DELAY)
            self.keep_away(outcome.attempt.site_key, SITE_DELAY)


TestFrontierMachine = FrontierMachine.TestCase
TestFrontierMachine.settings = settings(max_examples=80, stateful_step_count=40, deadline=None)
