"""Runs one step of a service for any host: whole batches, or record by record of each key.

A runner gathers what the turn is to publish; it neither commits nor shows anything to others.
"""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from nephila_runtime.clock import Clock
from nephila_runtime.host_ports import Intake, Outbox, Undo
from nephila_runtime.outcomes import Busy, Poison
from nephila_runtime.service import ByKey, Handled, Record, Step, WholeBatches

N = TypeVar("N", bound=Intake)

# An outage inside a handler that writes nothing (ByKey) is tried again this often, then it is the host's.
KEYED_TRIES = 3


class StepFailed(Exception):
    """A step raised something that is no named outcome: the run ends, and is built anew from the stores."""

    def __init__(self, service: str, step: str) -> None:
        super().__init__(f"{service}.{step} failed")


@dataclass
class Turn:
    """What one commit is going to hold."""

    outbox: Outbox
    after: list[tuple[Callable[[Any], Awaitable[None]], Any]] = field(
        default_factory=list[tuple[Callable[[Any], Awaitable[None]], Any]]
    )
    active: set[str] = field(default_factory=set[str])
    """Services that handled something in it."""
    finished: int = 0
    """Records finished in it, the buried ones too."""
    buried: int = 0
    """Records that went to the dead letters."""

    def take_in(
        self, service: str, handled: Handled, after: Callable[[Any], Awaitable[None]]
    ) -> None:
        if handled.emits:
            self.outbox.append(handled.emits)
        if handled.learned is not None:
            self.after.append((after, handled.learned))
        self.active.add(service)


class BatchRunner(Generic[N]):
    """A step in whole batches."""

    def __init__(
        self, service: str, step: Step[Any], order: WholeBatches, intake: N, clock: Clock
    ) -> None:
        self._service = service
        self._step = step
        self._limit = order.limit
        self._waiting: list[Record[Any]] = []
        self._not_before = clock.now()
        self._clock = clock
        self.intake = intake

    def has_work(self) -> bool:
        return (bool(self._waiting) or self.intake.has_more()) and (
            self._clock.now() >= self._not_before
        )

    def next_at(self) -> float | None:
        """When a batch that was put off is due, on the clock."""
        return self._not_before if self._waiting else None

    async def run(self, turn: Turn, undo: Undo) -> None:
        """Handles one batch; records at fault go to the dead letters, the rest goes on without them."""
        batch = self._waiting or self.intake.take(self._limit)
        self._waiting = []
        while batch:
            undo.begin()
            try:
                handled = await self._step.handle(batch)
            except Poison as poison:
                undo.undo()
                batch = self._without(batch, poison, turn)
            except Busy as busy:
                undo.undo()
                self._waiting = batch
                self._not_before = self._clock.now() + busy.retry_after.total_seconds()
                batch = []
            except Exception as error:
                raise StepFailed(self._service, self._step.name) from error
            else:
                turn.take_in(self._service, handled, self._step.after)
                self._finish(turn, batch)
                batch = []
            undo.end()

    def _without(self, batch: list[Record[Any]], poison: Poison, turn: Turn) -> list[Record[Any]]:
        """Buries the record at fault; answers the others."""
        bad = batch[0] if len(batch) == 1 else poison.record
        if bad is None:
            raise StepFailed(self._service, self._step.name) from poison
        bury(turn, self._service, self._step, bad, poison.reason)
        self._finish(turn, [bad])
        return [record for record in batch if record is not bad]

    def _finish(self, turn: Turn, batch: list[Record[Any]]) -> None:
        self.intake.finish(batch)
        turn.finished += len(batch)


class KeyedRunner(Generic[N]):
    """A step record by record: of one key in order, of different keys at the same time."""

    def __init__(
        self,
        service: str,
        step: Step[Any],
        order: ByKey,
        intake: N,
        clock: Clock,
        wake: Callable[[], None],
    ) -> None:
        self._service = service
        self._step = step
        self._order = order
        self._clock = clock
        self._wake = wake
        self._queued: dict[str, deque[Record[Any]]] = {}
        self._tasks: dict[asyncio.Task[Handled], Record[Any]] = {}
        self._done: deque[asyncio.Task[Handled]] = deque()
        self._held = 0
        self._ending = False
        self.intake = intake

    def has_work(self) -> bool:
        """Whether something has finished that a transaction must take in."""
        return bool(self._done)

    def next_at(self) -> float | None:
        return None

    @property
    def under_way(self) -> int:
        """Records taken and not yet finished."""
        return self._held

    def start(self) -> None:
        """Takes records while there is room and starts those whose key is free."""
        room = self._order.under_way - self._held
        if room <= 0 or self._ending or not self.intake.has_more():
            return
        for record in self.intake.take(room):
            self._held += 1
            key = self._order.key(record)
            queue = self._queued.get(key)
            if queue is None:
                self._queued[key] = deque()
                self._begin(record)
            else:
                queue.append(record)

    def _begin(self, record: Record[Any]) -> None:
        task = asyncio.get_running_loop().create_task(self._handle(record))
        self._tasks[task] = record
        task.add_done_callback(self._finished)

    async def _handle(self, record: Record[Any]) -> Handled:
        tries = 0
        while True:
            try:
                return await self._step.handle([record])
            except Busy as busy:
                await self._clock.sleep(busy.retry_after.total_seconds())
            except Poison:
                raise
            except Exception:
                tries += 1
                if tries == KEYED_TRIES:
                    raise
                await self._clock.sleep(0.1 * 4**tries)

    def _finished(self, task: asyncio.Task[Handled]) -> None:
        if task in self._tasks:
            self._done.append(task)
            self._wake()

    async def run(self, turn: Turn, _undo: Undo) -> None:
        """Takes in what has finished, in the order in which it did."""
        while self._done:
            task = self._done.popleft()
            record = self._tasks.pop(task)
            self._held -= 1
            error = task.exception()
            if error is None:
                turn.take_in(self._service, task.result(), self._step.after)
            elif isinstance(error, Poison):
                bury(turn, self._service, self._step, record, error.reason)
            else:
                raise StepFailed(self._service, self._step.name) from error
            self.intake.finish([record])
            turn.finished += 1
            self._begin_next(self._order.key(record))

    def _begin_next(self, key: str) -> None:
        queue = self._queued[key]
        if queue and not self._ending:
            self._begin(queue.popleft())
        else:
            del self._queued[key]

    async def wind_up(self, seconds: float) -> None:
        """Begins nothing more, and waits a little for what is under way to end by itself."""
        self._ending = True
        if self._tasks:
            await asyncio.wait(list(self._tasks), timeout=seconds)

    async def cancel(self) -> None:
        """Ends what is under way; its records will be handed in again after the next start."""
        tasks = list(self._tasks)
        self._tasks.clear()
        self._done.clear()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def bury(turn: Turn, service: str, step: Step[Any], record: Record[Any], reason: str) -> None:
    """Sends a record to the dead letters, with what must be said of it all the same."""
    turn.outbox.append_dead(step.consumes, record, service, reason)
    if step.on_dead is not None:
        turn.outbox.append(step.on_dead(record, reason))
    turn.buried += 1
    turn.active.add(service)
