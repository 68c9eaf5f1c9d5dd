"""The cluster's topics, made from the contracts: which there must be, making them, and checking them."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from nephila_contracts import Topic, topics

from nephila_runtime.clock import Clock
from nephila_runtime.kafka_settings import KafkaSettings, client_options, milliseconds

_PATIENCE_S = 15.0
# Read whole by every process, outside any group: one partition gives it one order and one end.
_SINGLE = frozenset({topics.CRAWL_CONTROL.name})


class KafkaUnavailable(Exception):
    """The cluster does not answer, or refuses the credentials: one line for whoever runs it."""


class TopicsDiffer(Exception):
    """The cluster's topics are not those of the contracts: one line that names the fault and the mend."""


@dataclass(frozen=True)
class TopicPlan:
    """One topic as it must stand in the cluster."""

    name: str
    partitions: int
    replication: int
    config: Mapping[str, str] = field(default_factory=dict[str, str])


def plan_topics(
    settings: KafkaSettings, contracts: Sequence[Topic[Any]] = topics.ALL
) -> list[TopicPlan]:
    """Every topic and its dead letters. All but crawl_control have one partition count, so that a member
    of a group holds the same partitions of all of them."""
    return [plan for topic in contracts for plan in _plans(settings, topic)]


def _plans(settings: KafkaSettings, topic: Topic[Any]) -> list[TopicPlan]:
    partitions = 1 if topic.name in _SINGLE else settings.partitions
    safe = {"min.insync.replicas": str(max(settings.replication - 1, 1))}
    if topic.compacted:
        kept = {"cleanup.policy": "compact"}
    else:
        kept = {
            "cleanup.policy": "delete",
            "retention.ms": str(milliseconds(settings.retention)),
        }
    letters = {
        "cleanup.policy": "delete",
        "retention.ms": str(milliseconds(settings.dead_letter_retention)),
    }
    return [
        TopicPlan(settings.name(topic.name), partitions, settings.replication, kept | safe),
        TopicPlan(
            settings.name(topic.dead_letter_name), partitions, settings.replication, letters | safe
        ),
    ]


def differences(plans: Iterable[TopicPlan], found: Mapping[str, int]) -> list[str]:
    """What keeps the host from running on the partition counts found by topic name: one line each."""
    lines: list[str] = []
    for plan in plans:
        count = found.get(plan.name)
        if count is None:
            lines.append(f"topic {plan.name} is missing: make the topics first")
        elif count != plan.partitions:
            lines.append(
                f"topic {plan.name} has {count} partitions, not {plan.partitions}:"
                " the count is fixed at install, set NEPHILA_KAFKA_PARTITIONS to it"
            )
    return lines


class KafkaTopics:
    """The administrator's view of the cluster."""

    def __init__(
        self, settings: KafkaSettings, clock: Clock, patience_s: float = _PATIENCE_S
    ) -> None:
        self._patience_s = patience_s
        self._settings = settings
        self._clock = clock
        self._admin = AdminClient(client_options(settings))

    async def check(self, contracts: Sequence[Topic[Any]]) -> None:
        """Raises KafkaUnavailable, or TopicsDiffer when the host could not run on what is there."""
        lines = differences(plan_topics(self._settings, contracts), await self._found())
        if lines:
            more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
            raise TopicsDiffer(lines[0] + more)

    async def make(self, contracts: Sequence[Topic[Any]] = topics.ALL) -> list[str]:
        """Makes the topics that are missing, and checks the others; answers the names of those made."""
        found = await self._found()
        missing = [
            plan for plan in plan_topics(self._settings, contracts) if plan.name not in found
        ]
        if missing:
            await asyncio.to_thread(self._create, missing)
            await self._until_seen({plan.name for plan in missing})
        await self.check(contracts)
        return [plan.name for plan in missing]

    async def _until_seen(self, made: set[str]) -> None:
        """The controller answers before the brokers have heard of a topic."""
        patient_until = self._clock.now() + self._patience_s
        while made - (await self._found()).keys() and self._clock.now() < patient_until:
            await self._clock.sleep(0.1)

    def _create(self, missing: Sequence[TopicPlan]) -> None:
        new = [
            NewTopic(
                plan.name,
                num_partitions=plan.partitions,
                replication_factor=plan.replication,
                config=dict(plan.config),
            )
            for plan in missing
        ]
        made: dict[str, Future[None]] = self._admin.create_topics(
            new, operation_timeout=self._patience_s
        )
        for future in made.values():
            try:
                future.result()
            except KafkaException as error:
                # Another process was quicker.
                if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                    raise self._unavailable(error) from error

    async def _found(self) -> dict[str, int]:
        """Partition counts by topic name."""
        try:
            listed = await asyncio.to_thread(self._admin.list_topics, timeout=self._patience_s)
        except KafkaException as error:
            raise self._unavailable(error) from error
        return {name: len(topic.partitions) for name, topic in listed.topics.items()}

    def _unavailable(self, error: KafkaException) -> KafkaUnavailable:
        return KafkaUnavailable(f"Kafka at {self._settings.servers}: {error.args[0].str()}")
