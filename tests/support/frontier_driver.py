"""A frontier driven by hand, on a clock that is set by hand: for laws about its steps and ticks.

It stands for the log on both sides: what goes in gets its offset, what comes out is kept.
"""

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from nephila_contracts import topics
from nephila_contracts.v1.fetch_pb2 import (
    FETCH_END_DEFERRED,
    FETCH_END_FINAL,
    Attempt,
    FetchCompleted,
    FetchRequested,
)
from nephila_contracts.v1.page_pb2 import PageParsed
from nephila_contracts.v1.reason_pb2 import REASON_FETCHED, Reason
from nephila_contracts.v1.url_pb2 import Origin, UrlAdmitted, UrlDue
from nephila_runtime import Assignment, Clock, Emit, Handled, Record, Service
from nephila_runtime.database import Database
from nephila_storage.sqlite_frontier_store import SqliteFrontierStore
from nephila_urls import CanonicalUrl, host_of, site_key

T = TypeVar("T")


def inline(awaitable: Awaitable[T]) -> T:
    """What a coroutine returns that never waits."""
    coroutine = awaitable
    assert isinstance(coroutine, Coroutine)
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value
    coroutine.close()
    raise AssertionError("it waited")


class SettableClock:
    """Says what it was told."""

    def __init__(self, now: float = 1_000.0) -> None:
        self.at = now

    def now(self) -> float:
        return self.at

    def wall_ms(self) -> int:
        return int(self.at * 1000) + 1_700_000_000_000

    async def sleep(self, seconds: float) -> None:
        self.at += seconds


class SettableDownstream:
    """What is behind the frontier: it keeps up with everything until told otherwise."""

    def __init__(self) -> None:
        self.waiting = 0
        self.low = False
        self.requested = 0
        # None: the fetcher has finished all that was requested.
        self.fetched: int | None = None

    def lag(self) -> int:
        return self.waiting

    def disk_low(self) -> bool:
        return self.low

    def requested_through(self, partition: int) -> int:
        return self.requested

    def fetched_through(self, partition: int) -> int:
        return self.requested if self.fetched is None else self.fetched


Build = Callable[[SqliteFrontierStore, SettableDownstream, Clock], Service]


class FrontierDriver:
    """One frontier on one partition, over an in-memory database that outlives its restarts."""

    def __init__(self, build: Build) -> None:
        self.clock = SettableClock()
        self.database = Database.in_memory()
        self.store = SqliteFrontierStore(self.database)
        self.downstream = SettableDownstream()
        self.parsed: list[PageParsed] = []
        self._offsets = dict.fromkeys((topics.URL_ADMITTED.name, topics.URL_DUE.name), 0)
        self._build = build
        self.start()

    def start(self, partitions: tuple[int, ...] = (0,)) -> None:
        """Begins a new process over what the store holds."""
        self.service = self._build(self.store, self.downstream, self.clock)
        self._take_out(inline(self.service.assigned(Assignment(partitions, clean=False))))

    def close(self) -> None:
        self.database.close()

    def step(self, name: str, records: Sequence[Record[Any]]) -> Handled:
        step = next(step for step in self.service.steps if step.name == name)
        handled = inline(step.handle(records))
        inline(step.after(handled.learned))
        return handled

    def tick(self, name: str) -> list[Emit[Any]]:
        tick = next(tick for tick in self.service.ticks if tick.name == name)
        handled = inline(tick.run())
        requests = self._take_out(handled)
        if handled.learned is not None:
            inline(tick.after(handled.learned))
        return requests

    def _take_out(self, handled: Handled) -> list[Emit[Any]]:
        requests = [emit for emit in handled.emits if isinstance(emit.message, FetchRequested)]
        self.parsed += [e.message for e in handled.emits if isinstance(e.message, PageParsed)]
        self.downstream.requested += len(requests)
        return requests

    def record(self, message: Any) -> Record[Any]:
        """A message at the next offset of its topic."""
        due = isinstance(message, UrlDue)
        name = topics.URL_DUE.name if due else topics.URL_ADMITTED.name
        offset = self._offsets[name]
        self._offsets[name] = offset + 1
        return Record(0, offset, message.site_key, message)

    def admit(self, *urls: str, **fields: Any) -> None:
        """New URLs in one batch."""
        self.step("admit", [self.record(admitted(url, **fields)) for url in urls])

    def due(self, *urls: str, **fields: Any) -> None:
        """Known URLs to visit again in one batch."""
        messages = [UrlDue(url=url, site_key=site_key(CanonicalUrl(url)), **fields) for url in urls]
        self.step("admit_due", [self.record(message) for message in messages])

    def dispatch(self) -> list[FetchRequested]:
        """What is let out now."""
        return [emit.message for emit in self.tick("dispatch")]

    def expire(self) -> list[FetchRequested]:
        """Looks at the leases; what is published again."""
        return [emit.message for emit in self.tick("expire")]

    def complete(self, *outcomes: FetchCompleted) -> None:
        """Outcomes in one batch."""
        records = [Record(0, 0, outcome.attempt.site_key, outcome) for outcome in outcomes]
        self._take_out(self.step("release", records))

    def after(self, seconds: float) -> list[FetchRequested]:
        """What is let out when so much time has gone by."""
        self.clock.at += seconds
        return self.dispatch()

    def fetch_all(self, most_seconds: float = 1e6) -> list[FetchRequested]:
        """Fetches all there is, each in no time, and gives the requests in order."""
        seen: list[FetchRequested] = []
        end = self.clock.at + most_seconds
        while self.clock.at < end:
            requests = self.dispatch()
            seen += requests
            if requests:
                self.complete(*(fetched(request) for request in requests))
            elif (next_in := self.next_in()) is None:
                return seen
            else:
                self.clock.at += next_in
        return seen

    def next_in(self) -> float | None:
        """Seconds to the next turn of a host, in steps of a dispatch."""
        left = self.database.row("SELECT count(*) FROM frontier_queue")
        return 0.05 if left and left[0] else None


def admitted(url: str, *, origin: Origin | None = None, **fields: Any) -> UrlAdmitted:
    return UrlAdmitted(url=url, site_key=site_key(CanonicalUrl(url)), origin=origin, **fields)


def fetched(request: FetchRequested, **fields: Any) -> FetchCompleted:
    """The request was answered with a page."""
    defaults: dict[str, Any] = {
        "reason": REASON_FETCHED,
        "http_status": 200,
        "elapsed_ms": 1,
        "request_sent": True,
    }
    return FetchCompleted(attempt=request.attempt, end=FETCH_END_FINAL, **(defaults | fields))


def deferred(request: FetchRequested, reason: Reason, **fields: Any) -> FetchCompleted:
    """The request came to no end."""
    defaults: dict[str, Any] = {"request_sent": True}
    end = FETCH_END_DEFERRED
    return FetchCompleted(attempt=request.attempt, end=end, reason=reason, **(defaults | fields))


def host_asked(attempt: Attempt) -> str:
    """The host by the URL, whatever the message says beside."""
    return host_of(CanonicalUrl(attempt.url))
