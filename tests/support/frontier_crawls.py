"""Crawls for the laws of the frontier: each a frontier of its own, driven by hand."""

import random
from typing import Any

from frontier_driver import FrontierDriver, SettableDownstream
from nephila_contracts.v1.fetch_pb2 import FetchRequested
from nephila_contracts.v1.reason_pb2 import REASON_PAUSED, Reason
from nephila_frontier import Budget, FrontierSettings, FrontierView, build_frontier
from nephila_runtime import Clock, Service
from nephila_storage.sqlite_frontier_store import SqliteFrontierStore

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
        # For the next start.
        self.rested = 0.0
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
            rested=self.rested,
        )
        return service


class Crawls:
    """Makes crawls and closes them."""

    def __init__(self) -> None:
        self.made: list[Crawl] = []

    def __call__(self, budget: Budget | None = None, **settings: Any) -> Crawl:
        self.made.append(Crawl(budget, **settings))
        return self.made[-1]


def urls_of(requests: list[FetchRequested]) -> list[str]:
    return [request.attempt.url for request in requests]
