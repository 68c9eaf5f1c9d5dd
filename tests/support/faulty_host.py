"""The embedded host with the liberties that a cluster takes: messages come twice, answers out of order.

It wraps services before it hosts them, so neither host nor product knows.

- A batch may begin with records that were handled before, as after a rewind to an older offset.
- What a step emits may be published twice, as by a producer that never heard of its first success.
- Records of different keys end in any order, and late.

Left alone is what the design promises exactly once: what content_dedup publishes, and what reads it.
A repeat of a page at its own offset repeats its event by design (content_dedup's card), so pages come
to it twice only as copies; leases are published by an idempotent producer, once.
"""

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from nephila_contracts import topics
from nephila_runtime import ByKey, Clock, Emit, Handled, Record, Service, Step
from nephila_runtime.database import Database
from nephila_runtime.embedded_host import EmbeddedHost

_MAY_HANDLE_AGAIN = ("url_dedup", "frontier", "fetcher", "parser")
_PUBLISHED_ONCE = (topics.FETCH_REQUESTED.name,)
_SHARE_AGAIN = 0.1
_LONGEST_REWIND = 3


@dataclass(frozen=True)
class _Chances:
    rng: random.Random
    latest_s: float
    clock: Clock


class FaultyHost(EmbeddedHost):
    """Takes the arguments of EmbeddedHost after the source of its chances and its longest lateness."""

    def __init__(
        self,
        rng: random.Random,
        latest_s: float,
        database: Database,
        services: Sequence[Service],
        clock: Clock,
        **given: Any,
    ) -> None:
        super().__init__(
            database, [_faulty(s, _Chances(rng, latest_s, clock)) for s in services], clock, **given
        )


def _faulty(service: Service, chances: _Chances) -> Service:
    if service.name not in _MAY_HANDLE_AGAIN:
        return service
    steps = tuple(replace(step, handle=_Faulty(step, chances).handle) for step in service.steps)
    return replace(service, steps=steps)


class _Faulty:
    """A step whose records come twice and whose emits go out twice, now and then."""

    def __init__(self, step: Step[Any], chances: _Chances) -> None:
        self._step = step
        self._chances = chances
        self._rng = chances.rng
        self._before: list[Record[Any]] = []

    async def handle(self, batch: Sequence[Record[Any]]) -> Handled:
        if isinstance(self._step.order, ByKey):
            handled = await self._by_key(batch)
        else:
            handled = await self._step.handle([*self._rewound(), *batch])
            self._before = list(batch)
        return Handled(self._doubled(handled.emits), handled.learned)

    async def _by_key(self, batch: Sequence[Record[Any]]) -> Handled:
        handled = await self._step.handle(batch)
        task = asyncio.current_task()
        if task is None or task.cancelling():
            return handled  # The host is ending; a fetch that is handed back returns all the same.
        if self._rng.random() < _SHARE_AGAIN:
            again = await self._step.handle(batch)
            handled = Handled([*handled.emits, *again.emits], handled.learned)
        await self._chances.clock.sleep(self._rng.random() * self._chances.latest_s)
        return handled

    def _rewound(self) -> list[Record[Any]]:
        """The last few records of the batch before, now and then."""
        if self._rng.random() >= _SHARE_AGAIN:
            return []
        return self._before[-self._rng.randint(1, _LONGEST_REWIND) :]

    def _doubled(self, emits: Sequence[Emit[Any]]) -> list[Emit[Any]]:
        doubled: list[Emit[Any]] = []
        for emit in emits:
            again = self._rng.random() < _SHARE_AGAIN and emit.topic.name not in _PUBLISHED_ONCE
            doubled += [emit, emit] if again else [emit]
        return doubled
