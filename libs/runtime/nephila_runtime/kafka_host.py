"""Runs one service on Kafka, as one member of the service's consumer group.

It works in *turns*, as the embedded host does: a turn hands every step a batch, gathers what they and the
ticks return, makes uploads durable, publishes, waits until that is durable, commits the offsets, and then
runs what each step wanted to do `after`. Steps that go by key run beside the turns as tasks.

At a rebalance everything is given up and taken anew: the service ends what is under way, what is finished
is committed with a mark that it was given back in order, and the next assignment says whether that mark
was found. The host is crash-only: whatever fails ends the run, nothing more is committed, and the next run,
here or elsewhere, starts from what was.
"""

import asyncio
import os
import socket
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import Any

from nephila_contracts import Topic

from nephila_runtime.clock import Clock
from nephila_runtime.group_events import Event, Given, Held, Left, Place, TakenAway
from nephila_runtime.kafka_commit import CommitAfterPublishing, CommitInTransaction, Committer
from nephila_runtime.kafka_consumer import KafkaConsumer
from nephila_runtime.kafka_generation import Generation
from nephila_runtime.kafka_producer import KafkaPublisher, KafkaTransactions
from nephila_runtime.kafka_settings import KafkaSettings
from nephila_runtime.kafka_topics import KafkaTopics
from nephila_runtime.kafka_turns import Turns
from nephila_runtime.liveness import Liveness
from nephila_runtime.pace import Pace
from nephila_runtime.participant import Participant
from nephila_runtime.service import Service

_JOIN_PATIENCE_S = 10.0
# A turn costs 1.1 ms of CPU time however little is in it (tests/bench/kafka_host_cost.py), and the brokers
# a produce and a commit.
_USUAL_PACE = Pace(least_turn=timedelta(milliseconds=50))


class KafkaHost:
    """The host of one run of one service. Make it anew, with a new service, for the next one.

    `liveness` is the service's Tenure, made before both. `tracked` is for `published_through`. `reach` is
    told each named point of a turn that has something to commit: where a test may crash it.
    """

    def __init__(
        self,
        service: Service,
        settings: KafkaSettings,
        clock: Clock,
        liveness: Liveness,
        *,
        participants: Sequence[Participant] = (),
        tracked: bool = False,
        pace: Pace = _USUAL_PACE,
        reach: Callable[[str], None] = lambda point: None,
    ) -> None:
        self._service = service
        self._settings = settings
        self._clock = clock
        self._liveness = liveness
        self._pace = pace
        self._events: deque[Event] = deque()
        self._wake = asyncio.Event()
        self._failed: asyncio.Future[None] | None = None
        self._generation: Generation | None = None
        self._working = True
        """Until it waits for the first time, nobody knows what there is to do."""
        topic_names = [settings.name(step.consumes.name) for step in service.steps]
        self._consumer = self._member(topic_names) if topic_names else None
        self._committer = self._made_committer(tracked)
        self._turns = Turns(
            service,
            settings,
            clock,
            liveness,
            self._consumer,
            self._committer,
            participants,
            reach,
        )

    def _member(self, topic_names: Sequence[str]) -> KafkaConsumer:
        return KafkaConsumer(
            self._settings,
            self._service.name,
            topic_names,
            self._clock,
            self._liveness,
            self._told,
            self._wake.set,
        )

    def _made_committer(self, tracked: bool) -> Committer:
        name = self._service.name
        if not self._service.transactional:
            publisher = KafkaPublisher(self._settings, name, tracked=tracked)
            return CommitAfterPublishing(publisher, self._consumer)
        instance = self._settings.instance or f"{socket.gethostname()}-{os.getpid()}"
        transactions = KafkaTransactions(self._settings, f"{name}-{instance}")
        return CommitInTransaction(transactions, self._consumer)

    def _told(self, event: Event) -> None:
        self._events.append(event)
        self._wake.set()
        failed = self._failed
        if isinstance(event, Left) and event.error and failed is not None and not failed.done():
            failed.set_exception(event.error)

    # What others see ----------------------------------------------------------------------------

    def idle(self) -> bool:
        """Partitions are held, nothing that has arrived waits, and nothing is under way."""
        generation = self._generation
        if generation is None or self._working or self._events:
            return False
        return not (self._arrived() or generation.under_way())

    def in_memory(self) -> int:
        """Records that wait here or are being handled."""
        return self._generation.under_way() if self._generation else 0

    def watermarks(self) -> Mapping[Place, int]:
        """By topic in the cluster and partition held: all below it is finished and, when idle, committed."""
        held = self._generation.held.progress if self._generation else {}
        return {place: progress.watermark for place, progress in held.items()}

    def published_through(self, topic: Topic[Any], partition: int) -> int | None:
        """One past the last message that this run has published there; None before the first one, and
        when the host is not `tracked`."""
        return self._committer.through((self._settings.name(topic.name), partition))

    def partitions(self) -> tuple[int, ...]:
        """The partitions held now."""
        return self._generation.held.partitions if self._generation else ()

    # The run ------------------------------------------------------------------------------------

    async def run(self, stop: asyncio.Event) -> None:
        """Works until `stop` is set, then gives back what it holds. Raises what made it fail."""
        self._failed = asyncio.get_running_loop().create_future()
        waiter = asyncio.create_task(self._wake_on(stop))
        work = asyncio.create_task(self._work(stop))
        try:
            await asyncio.wait([work, self._failed], return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                self._failed.result()
            await work
            await self._committer.close()
        except BaseException:
            await self._abandon(work)
            raise
        finally:
            waiter.cancel()
            if self._failed.done():
                self._failed.exception()
            self._failed = None

    async def _abandon(self, work: asyncio.Task[None]) -> None:
        """Ends what is under way and leaves the group without committing anything more."""
        self._liveness.ended()
        work.cancel()
        if self._consumer is not None:
            self._consumer.abandon()
        self._committer.abandon()
        await asyncio.gather(work, return_exceptions=True)
        generation = self._generation
        self._generation = None
        if generation is not None:
            await self._service.revoked(generation.held.partitions)
            await generation.cancel()
        if self._consumer is not None:
            await asyncio.to_thread(self._consumer.join, _JOIN_PATIENCE_S)

    async def _wake_on(self, stop: asyncio.Event) -> None:
        await stop.wait()
        self._wake.set()

    async def _work(self, stop: asyncio.Event) -> None:
        await self._start()
        closing = False
        while True:
            started = self._clock.now()
            self._working = True
            self._take_arrived()
            if self._events:
                if await self._handle(self._events.popleft()):
                    return
                continue
            if stop.is_set() and not closing:
                closing = True
                self._close()
                continue
            if self._generation is not None and not closing:
                await self._turns.one(self._generation)
                self._generation.start_keyed()
            if stop.is_set() and not closing:
                continue
            self._working = False
            await self._rest(self._pace.next_turn_at(started, self._clock.now()))

    async def _start(self) -> None:
        read = [step.consumes for step in self._service.steps]
        written = [topic for step in self._service.steps for topic in step.produces]
        written += [topic for tick in self._service.ticks for topic in tick.produces]
        await KafkaTopics(self._settings, self._clock).check([*read, *written])
        await self._committer.start()
        if self._consumer is not None:
            self._consumer.start()
            return
        # Without a step there is no group: nothing is shared out, and ticks run at once.
        held = Held((), clean=True, progress={}, ends={}, group=None, flows={})
        await self._take_up(held)

    def _close(self) -> None:
        if self._consumer is not None:
            self._consumer.close()
        else:
            self._told(Left())

    def _arrived(self) -> bool:
        return self._consumer is not None and bool(self._consumer.arrived)

    def _take_arrived(self) -> None:
        generation = self._generation
        if generation is None or self._consumer is None:
            return
        arrived = self._consumer.arrived
        while arrived:
            generation.offer(arrived.popleft())
        generation.start_keyed()

    # Rebalances ---------------------------------------------------------------------------------

    async def _handle(self, event: Event) -> bool:
        """Answers an event of the group; True when it was the last."""
        if isinstance(event, Given):
            await self._take_up(event.held)
            event.question.answer()
        elif isinstance(event, TakenAway):
            await self._give_back()
            event.question.answer()
        else:
            if event.error is not None:
                raise event.error
            await self._give_back()
            return True
        return False

    async def _take_up(self, held: Held) -> None:
        generation = Generation(self._service, self._settings, held, self._clock, self._wake.set)
        if held.partitions or not self._service.steps:
            await self._turns.first(generation)
        self._generation = generation

    async def _give_back(self) -> None:
        generation = self._generation
        self._generation = None
        if generation is None:
            return
        await self._turns.last(generation)
        if self._consumer is not None:
            self._consumer.arrived.clear()
        self._liveness.ended()

    # Between turns ------------------------------------------------------------------------------

    async def _rest(self, over_at: float) -> None:
        """Waits until there is something to do, and at least until then."""
        if not self._pressing():
            self._wake.clear()
            if not self._pressing():
                wait = asyncio.timeout(max(self._next_due() - self._clock.now(), 0.0))
                try:
                    async with wait:
                        await self._wake.wait()
                except TimeoutError:
                    pass
        if not self._events:
            await self._clock.sleep(max(over_at - self._clock.now(), 0.0))

    def _pressing(self) -> bool:
        generation = self._generation
        return bool(
            self._events or self._arrived() or (generation is not None and generation.has_work())
        )

    def _next_due(self) -> float:
        moments = [self._clock.now() + 1.0]
        if self._generation is not None:
            moments += self._generation.next_at()
            if (due := self._turns.next_at()) is not None:
                moments.append(due)
        return min(moments)
