"""What a member works with from one rebalance to the next: its places in its topics, and its runners."""

from collections.abc import Callable, Iterable
from typing import Any

from confluent_kafka import TopicPartition

from nephila_runtime.clock import Clock
from nephila_runtime.group_events import Flow, Held, RawRecord
from nephila_runtime.host_ports import NothingToUndo
from nephila_runtime.kafka_intake import KafkaIntake
from nephila_runtime.kafka_producer import KafkaOutbox
from nephila_runtime.kafka_settings import KafkaSettings
from nephila_runtime.service import Assignment, ByKey, Service, Step
from nephila_runtime.step_runner import BatchRunner, KeyedRunner, Turn

# Precedence holds from the first batch on: for so long the first records of every topic are waited for.
_FIRST_RECORDS_S = 1.0
_NO_UNDO = NothingToUndo()


class Generation:
    """Made anew at each assignment, dropped at the revocation."""

    def __init__(
        self,
        service: Service,
        settings: KafkaSettings,
        held: Held,
        clock: Clock,
        wake: Callable[[], None],
    ) -> None:
        self.held = held
        self._service = service
        self._settings = settings
        self._clock = clock
        self._wake = wake
        self._first_turn_by = clock.now() + _FIRST_RECORDS_S
        self.intakes = [self._intake(step) for step in service.steps]
        self._by_topic = {intake.name: intake for intake in self.intakes}
        self._runners = [
            self._runner(step, intake)
            for step, intake in zip(service.steps, self.intakes, strict=True)
        ]
        self._keyed = [runner for runner in self._runners if isinstance(runner, KeyedRunner)]
        self._awaited = [intake for intake in self.intakes if self._has_backlog(intake)]

    def _intake(self, step: Step[Any]) -> KafkaIntake:
        name = self._settings.name(step.consumes.name)
        places = {p: at for (topic, p), at in self.held.progress.items() if topic == name}
        return KafkaIntake(name, step.consumes, places, self.held.flows.get(name) or Flow())

    def _runner(
        self, step: Step[Any], intake: KafkaIntake
    ) -> BatchRunner[KafkaIntake] | KeyedRunner[KafkaIntake]:
        name = self._service.name
        if isinstance(step.order, ByKey):
            return KeyedRunner(name, step, step.order, intake, self._clock, self._wake)
        return BatchRunner(name, step, step.order, intake, self._clock)

    def _has_backlog(self, intake: KafkaIntake) -> bool:
        return any(
            place.watermark < self.held.ends.get((intake.name, partition), 0)
            for partition, place in intake.progress.items()
        )

    def assignment(self) -> Assignment:
        ends = {
            (intake.topic.name, partition): self.held.ends[intake.name, partition]
            for intake in self.intakes
            for partition in intake.progress
        }
        return Assignment(self.held.partitions, self.held.clean, ends)

    def offer(self, records: Iterable[RawRecord]) -> None:
        for raw in records:
            self._by_topic[raw[0]].offer(raw)

    def start_keyed(self) -> None:
        for runner in self._keyed:
            runner.start()

    def has_work(self) -> bool:
        if self._awaited:
            self._awaited = [intake for intake in self._awaited if not intake.waits()]
            if self._awaited and self._clock.now() < self._first_turn_by:
                return False
            self._awaited = []
        return any(runner.has_work() for runner in self._runners) or any(
            intake.has_undecodable() for intake in self.intakes
        )

    def next_at(self) -> list[float]:
        moments = [at for runner in self._runners if (at := runner.next_at()) is not None]
        return [*moments, self._first_turn_by] if self._awaited else moments

    async def run(self, turn: Turn, outbox: KafkaOutbox) -> None:
        """One batch of each step in precedence, and what has finished of the steps by key."""
        for runner in self._runners:
            if runner.has_work():
                await runner.run(turn, _NO_UNDO)
        self._bury(turn, outbox)

    def _bury(self, turn: Turn, outbox: KafkaOutbox) -> None:
        for intake in self.intakes:
            if intake.has_undecodable():
                count = intake.bury_undecodable(outbox, self._service.name)
                turn.buried += count
                turn.finished += count

    def offsets(self) -> list[TopicPartition]:
        """What has changed since it was last asked for."""
        return [offset for intake in self.intakes for offset in intake.commits()]

    def final_offsets(self) -> list[TopicPartition]:
        """All, with the mark that they are given back in order."""
        return [o for intake in self.intakes for o in intake.all_commits(released=True)]

    def one_offset(self) -> list[TopicPartition]:
        return self.intakes[0].one_commit() if self.intakes else []

    async def wind_up(self, turn: Turn, outbox: KafkaOutbox, seconds: float) -> None:
        """Begins nothing more, takes in what ends by itself within the time, and ends the rest."""
        for runner in self._keyed:
            await runner.wind_up(seconds)
            await runner.run(turn, _NO_UNDO)
        self._bury(turn, outbox)
        await self.cancel()

    async def cancel(self) -> None:
        for runner in self._keyed:
            await runner.cancel()

    def under_way(self) -> int:
        """Records in memory, waiting or being handled."""
        return sum(intake.lag() for intake in self.intakes)
