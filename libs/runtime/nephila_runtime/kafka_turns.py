"""The turns of a host on Kafka: hand in, publish, commit, then `after`."""

import asyncio
from collections.abc import Callable, Sequence

from confluent_kafka import TopicPartition

from nephila_runtime.clock import Clock
from nephila_runtime.dead_letter_limit import DeadLetterLimit
from nephila_runtime.due_tick import DueTick
from nephila_runtime.group_events import Held
from nephila_runtime.kafka_commit import Committer
from nephila_runtime.kafka_consumer import KafkaConsumer
from nephila_runtime.kafka_generation import Generation
from nephila_runtime.kafka_producer import KafkaOutbox
from nephila_runtime.kafka_settings import KafkaSettings
from nephila_runtime.liveness import Liveness
from nephila_runtime.participant import Participant
from nephila_runtime.service import Service
from nephila_runtime.step_runner import Turn


class Turns:
    """Of one run. Whatever is raised here ends the run."""

    def __init__(
        self,
        service: Service,
        settings: KafkaSettings,
        clock: Clock,
        liveness: Liveness,
        consumer: KafkaConsumer | None,
        committer: Committer,
        participants: Sequence[Participant],
        reach: Callable[[str], None],
    ) -> None:
        self._service = service
        self._settings = settings
        self._clock = clock
        self._liveness = liveness
        self._consumer = consumer
        self._committer = committer
        self._participants = participants
        self._reach = reach
        self._outbox = KafkaOutbox(settings)
        self._limit = DeadLetterLimit(service.name)
        self._ticks = [DueTick(service.name, tick, clock.now()) for tick in service.ticks]

    async def first(self, generation: Generation) -> None:
        """The service takes up what it was given; what it says to that is published."""
        handled = await self._service.assigned(generation.assignment())
        self._outbox.append(handled.emits)
        if self._outbox:
            await self._commit([], generation.held)

    async def one(self, generation: Generation) -> None:
        async with asyncio.timeout(self._settings.longest_turn.total_seconds()):
            turn = Turn(self._outbox)
            if generation.has_work():
                self._expect_commit(True)
                await generation.run(turn, self._outbox)
            if generation.held.partitions or not self._service.steps:
                await self._run_ticks(turn)
            await self._complete(turn, generation.offsets(), generation.held)
            await self._prove(generation)
        self._expect_commit(False)

    async def last(self, generation: Generation) -> None:
        """The service gives up what it holds; what was finished is committed as given back in order."""
        turn = Turn(self._outbox)
        await self._service.revoked(generation.held.partitions)
        await generation.wind_up(turn, self._outbox, self._settings.wind_up.total_seconds())
        await self._complete(turn, generation.final_offsets(), generation.held)

    def next_at(self) -> float | None:
        """When a tick or a proof is due, on the clock."""
        moments = [tick.next_at() for tick in self._ticks]
        if (proof := self._liveness.next_proof_at()) is not None:
            moments.append(proof)
        return min(moments, default=None)

    def _expect_commit(self, soon: bool) -> None:
        if self._consumer is not None:
            self._consumer.in_turn = soon

    async def _run_ticks(self, turn: Turn) -> None:
        now = self._clock.now()
        for tick in self._ticks:
            if now >= tick.next_at() or (tick.tick.eager and turn.active):
                await tick.run(turn, now)

    async def _complete(self, turn: Turn, offsets: Sequence[TopicPartition], held: Held) -> None:
        """Makes a turn durable, and tells its steps."""
        if not (offsets or turn.after or self._outbox):
            return
        self._limit.count(turn.finished, turn.buried)
        self._reach("handled")
        for participant in self._participants:
            await participant.prepare()
        self._reach("prepared")
        await self._commit(offsets, held)
        self._reach("committed")
        for after, learned in turn.after:
            await after(learned)

    async def _commit(self, offsets: Sequence[TopicPartition], held: Held) -> None:
        sent_at = await self._committer.commit(self._outbox.take(), offsets, held.group)
        if sent_at is not None:
            self._liveness.proved(sent_at)

    async def _prove(self, generation: Generation) -> None:
        """Commits though nothing has changed, when the last proof that the partitions are held is old."""
        due = self._liveness.next_proof_at()
        offsets = generation.one_offset()
        if self._consumer is not None and offsets and due is not None and due <= self._clock.now():
            self._liveness.proved(await self._consumer.commit(offsets))
