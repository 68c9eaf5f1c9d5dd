"""Runs services in one process on the embedded log.

It works in *turns*. A turn hands every step what has been committed for it, gathers what they and the
ticks return, makes the files durable, and commits emits, store rows and offsets in one SQLite
transaction; then it runs what each step wanted to do `after`. Nothing emitted in a turn is seen before
its commit. Steps that go by key (fetching, parsing) run beside the turns as tasks.

The host is crash-only: whatever fails in a turn ends the run, and the next run builds its services from
the stores, as after kill -9. So there is one way to recover, and it is the one that is tested.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from nephila_contracts import Topic

from nephila_runtime.clock import Clock
from nephila_runtime.consumer import Consumer
from nephila_runtime.database import Database, Savepoint
from nephila_runtime.due_tick import DueTick
from nephila_runtime.embedded_log import SEGMENT_BYTES, TAIL_BYTES, EmbeddedLog
from nephila_runtime.pace import Pace
from nephila_runtime.participant import Participant
from nephila_runtime.service import Assignment, ByKey, Emit, Service
from nephila_runtime.step_runner import BatchRunner, KeyedRunner, Turn


@dataclass(frozen=True)
class EmbeddedSettings(Pace):
    """How the embedded host works. `partitions` is fixed for the life of a database."""

    partitions: int = 8
    trim_every: timedelta = timedelta(seconds=2)
    segment_bytes: int = SEGMENT_BYTES
    tail_bytes: int = TAIL_BYTES
    """Records held in memory over all topics: beyond it readers go to disk."""


async def commit_inline(database: Database) -> None:
    """Commits in the event loop: for simulation, where a thread would bring in chance."""
    database.execute("COMMIT")


async def commit_in_thread(database: Database) -> None:
    """Commits in a thread, so that the network goes on during the fsync."""
    commit = asyncio.ensure_future(asyncio.to_thread(database.execute, "COMMIT"))
    try:
        await asyncio.shield(commit)
    except asyncio.CancelledError:
        # The connection is the thread's until it is done: nobody may roll back meanwhile.
        await commit
        raise


class EmbeddedHost:
    """The host of one run. Make it anew, with new services, for the next one."""

    def __init__(
        self,
        database: Database,
        services: Sequence[Service],
        clock: Clock,
        *,
        participants: Sequence[Participant] = (),
        kept: Sequence[Topic[Any]] = (),
        settings: EmbeddedSettings = EmbeddedSettings(),
        commit: Callable[[Database], Awaitable[None]] = commit_inline,
        reach: Callable[[str], None] = lambda point: None,
    ) -> None:
        """`reach` is told each named point of a turn as it is passed: where a test may crash it."""
        self._database = database
        self._savepoint = Savepoint(database, "step")
        self._services = services
        self._clock = clock
        self._participants = participants
        self._settings = settings
        self._commit = commit
        self._reach = reach
        self._turning = True
        """Until the first turn has begun, what is on disk has not been looked at."""
        self._wake = asyncio.Event()
        self._inbox: list[tuple[Sequence[Emit[Any]], asyncio.Future[None]]] = []
        self._next_trim = clock.now()
        Consumer.define(database)
        topics = [step.consumes for service in services for step in service.steps]
        self.log = EmbeddedLog(
            database,
            topics,
            partitions=settings.partitions,
            kept=kept,
            segment_bytes=settings.segment_bytes,
            tail_bytes=settings.tail_bytes,
        )
        self._runners = [
            self._runner(service, index)
            for service in services
            for index in range(len(service.steps))
        ]
        self._readers: dict[str, list[Consumer]] = {}
        for runner in self._runners:
            name = runner.intake.log.topic.name
            self._readers.setdefault(name, []).append(runner.intake)
        now = clock.now()
        self._ticks = [DueTick(s.name, tick, now) for s in services for tick in s.ticks]

    def _runner(
        self, service: Service, index: int
    ) -> BatchRunner[Consumer] | KeyedRunner[Consumer]:
        step = service.steps[index]
        consumer = Consumer(self._database, service.name, self.log.topic(step.consumes.name))
        if isinstance(step.order, ByKey):
            return KeyedRunner(
                service.name, step, step.order, consumer, self._clock, self._wake.set
            )
        return BatchRunner(service.name, step, step.order, consumer, self._clock)

    async def publish(self, emits: Sequence[Emit[Any]]) -> None:
        """Publishes from outside any service; returns once it is durable."""
        done = asyncio.get_running_loop().create_future()
        self._inbox.append((emits, done))
        self._wake.set()
        await done

    def lag(self, *topics: Topic[Any]) -> int:
        """Messages that wait in the topics (in all of them when none is named) or are being handled."""
        names = {topic.name for topic in topics}
        return sum(
            runner.intake.lag()
            for runner in self._runners
            if not names or runner.intake.log.topic.name in names
        )

    def watermark(self, topic: Topic[Any], partition: int) -> int:
        """The offset below which every reader of a topic's partition has finished."""
        return min(
            runner.intake.watermarks[partition]
            for runner in self._runners
            if runner.intake.log.topic.name == topic.name
        )

    def idle(self) -> bool:
        """Nothing waits and nothing is under way, a turn's own emits included."""
        return not self._turning and not self._inbox and self.lag() == 0

    @asynccontextmanager
    async def _revoked_at_end(self) -> AsyncGenerator[None]:
        """Ends what is under way, then revokes every service, whatever happens."""
        partitions = tuple(range(self._settings.partitions))
        async with AsyncExitStack() as stack:
            for runner in self._runners:
                if isinstance(runner, KeyedRunner):
                    stack.push_async_callback(runner.cancel)
            for service in self._services:
                stack.push_async_callback(service.revoked, partitions)
            yield

    async def run(self, stop: asyncio.Event) -> None:
        """Works until `stop` is set. Raises what made a turn fail; nothing of that turn remains."""
        waiter = asyncio.create_task(self._wake_on(stop))
        try:
            async with self._revoked_at_end():
                await self._assign()
                while not stop.is_set():
                    started = self._clock.now()
                    self._turning = True
                    await self._turn(Turn(self.log))
                    self._turning = False
                    await self._rest(self._settings.next_turn_at(started, self._clock.now()))
        finally:
            waiter.cancel()
            for _, done in self._inbox:
                done.cancel()

    async def _wake_on(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._wake.set()

    async def _assign(self) -> None:
        partitions = tuple(range(self._settings.partitions))
        # Earlier runs may have died, and nobody asks whether they did.
        assignment = Assignment(partitions, clean=False, ends=self.log.ends())
        async with self._transaction():
            for service in self._services:
                handled = await service.assigned(assignment)
                self.log.append(handled.emits)
        self._start_keyed()

    async def _rest(self, over_at: float) -> None:
        """Waits until there is something to do, and at least until then."""
        if not self._has_work():
            self._wake.clear()
            if not self._has_work():
                timeout = max(self._next_due() - self._clock.now(), 0.0)
                try:
                    async with asyncio.timeout(timeout):
                        await self._wake.wait()
                except TimeoutError:
                    pass
        left = over_at - self._clock.now()
        await self._clock.sleep(max(left, 0.0))

    def _has_work(self) -> bool:
        return bool(self._inbox) or any(runner.has_work() for runner in self._runners)

    def _next_due(self) -> float:
        moments = [tick.next_at() for tick in self._ticks]
        moments += [at for runner in self._runners if (at := runner.next_at()) is not None]
        return min(moments, default=self._clock.now() + 1.0)

    async def _turn(self, turn: Turn) -> None:
        inbox = list(self._inbox)
        async with self._transaction():
            for emits, _ in inbox:
                self.log.append(emits)
            for runner in self._runners:
                if runner.has_work():
                    await runner.run(turn, self._savepoint)
            await self._run_ticks(turn)
            self._reach("handled")
        self._inbox = self._inbox[len(inbox) :]
        self._reach("committed")
        for after, learned in turn.after:
            await after(learned)
        for _, done in inbox:
            if not done.done():
                done.set_result(None)
        self._start_keyed()

    async def _run_ticks(self, turn: Turn) -> None:
        now = self._clock.now()
        for tick in self._ticks:
            if now >= tick.next_at() or (tick.tick.eager and tick.service in turn.active):
                await tick.run(turn, now)
        if now >= self._next_trim:
            self._next_trim = now + self._settings.trim_every.total_seconds()
            self._reach("trim")
            self._trim()

    @asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[None]:
        """One transaction with the files made durable first; undone when anything in it fails."""
        database = self._database
        changes = database.connection.total_changes
        database.execute("BEGIN IMMEDIATE")
        try:
            yield
            for participant in self._participants:
                await participant.prepare()
            self._reach("prepared")
            self.log.flush()
            for runner in self._runners:
                runner.intake.flush()
            if database.connection.total_changes == changes:
                database.execute("COMMIT")
            else:
                await self._commit(database)
        except BaseException:
            if database.connection.in_transaction:
                database.execute("ROLLBACK")
            raise
        self.log.committed()
        self._forget()

    def _forget(self) -> None:
        """Frees the memory of what all readers of a topic have taken, and of topics without readers."""
        for log in self.log.held():
            readers = self._readers.get(log.topic.name)
            if readers is None:
                log.forget_all()
            else:
                log.forget(_least([reader.positions for reader in readers]))
        self.log.keep_within_bound()

    def _trim(self) -> None:
        """Drops the segments that all readers of a topic have finished."""
        for name, readers in self._readers.items():
            self.log.topic(name).trim(_least([reader.watermarks for reader in readers]))

    def _start_keyed(self) -> None:
        for runner in self._runners:
            if isinstance(runner, KeyedRunner):
                runner.start()


def _least(offsets: list[list[int]]) -> list[int]:
    """Of each partition the lowest."""
    return offsets[0] if len(offsets) == 1 else list(map(min, *offsets))
