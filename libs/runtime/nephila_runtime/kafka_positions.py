"""Where a generation begins in each of its partitions, by what the last holder committed."""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

from confluent_kafka import (
    OFFSET_BEGINNING,
    OFFSET_END,
    Consumer,
    KafkaError,
    KafkaException,
    TopicPartition,
)

from nephila_runtime.commit_metadata import decode
from nephila_runtime.group_events import Flow, Held, Place
from nephila_runtime.progress import Progress

# Longer than a dead process's open transaction, whose offsets are unsettled until it times out.
_PATIENCE_S = 30.0
_MOST_TRIES = 50
_BETWEEN_TRIES_S = 0.2
_LEADERLESS = frozenset(
    {
        KafkaError.NOT_LEADER_FOR_PARTITION,
        KafkaError.LEADER_NOT_AVAILABLE,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
        KafkaError.NOT_COORDINATOR,
    }
)


class RecordsLost(Exception):
    """Records that this group had still to read are gone: one line that names topic and offsets."""


class AssignmentUneven(Exception):
    """A member holds different partitions of its topics: they are not co-partitioned."""


def even_partitions(places: Iterable[Place]) -> tuple[int, ...]:
    """The partitions held, the same of every topic. Raises AssignmentUneven."""
    held: dict[str, set[int]] = {}
    for topic, partition in places:
        held.setdefault(topic, set()).add(partition)
    if not held:
        return ()
    first, *others = held.items()
    for topic, partitions in others:
        if partitions != first[1]:
            raise AssignmentUneven(f"other partitions held of {topic} than of {first[0]}")
    return tuple(sorted(first[1]))


def begin(
    committed: Mapping[Place, tuple[int, str | None]],
    earliest: Mapping[Place, int],
    ends: Mapping[Place, int],
) -> tuple[dict[Place, Progress], bool]:
    """Each partition's progress, and whether the last holder of all of them gave them back in order.

    A partition without a commit was never held. Raises RecordsLost.
    """
    clean = True
    progress: dict[Place, Progress] = {}
    for place, (offset, metadata) in committed.items():
        if offset < 0:
            progress[place] = Progress(earliest[place])
            continue
        if not earliest[place] <= offset <= ends[place]:
            raise RecordsLost(
                f"{place[0]}[{place[1]}] holds offsets {earliest[place]} to {ends[place]},"
                f" but the group has read it up to {offset}"
            )
        left = decode(offset, metadata)
        clean = clean and left.released
        progress[place] = Progress(offset, left.finished)
    return progress, clean


def take_hold(
    consumer: Consumer, partitions: Sequence[TopicPartition], topics: Sequence[str]
) -> Held:
    """What a member holds that was given these partitions. Raises KafkaException, RecordsLost, and
    AssignmentUneven."""
    ends: Mapping[Place, int] = {}
    progress: dict[Place, Progress] = {}
    clean = True
    if partitions:
        committed = _committed_offsets(consumer, partitions)
        ends = _listed(consumer, partitions, OFFSET_END)
        progress, clean = begin(committed, _listed(consumer, partitions, OFFSET_BEGINNING), ends)
    return Held(
        partitions=even_partitions(progress),
        clean=clean,
        progress=progress,
        ends=ends,
        group=consumer.consumer_group_metadata(),
        flows={topic: Flow() for topic in topics},
    )


def held_offsets(held: Held) -> list[TopicPartition]:
    """The commit that marks the partitions as held."""
    return [
        TopicPartition(topic, partition, place.watermark, place.metadata(released=False))
        for (topic, partition), place in held.progress.items()
    ]


def _committed_offsets(
    consumer: Consumer, partitions: Sequence[TopicPartition]
) -> dict[Place, tuple[int, str | None]]:
    found = _patiently(lambda: consumer.committed(list(partitions), timeout=_PATIENCE_S))
    return {(p.topic, p.partition): (_checked(p), p.metadata) for p in found}


def _listed(
    consumer: Consumer, partitions: Sequence[TopicPartition], which: int
) -> dict[Place, int]:
    """Offsets by place, all asked for at once."""
    asked = [TopicPartition(p.topic, p.partition, which) for p in partitions]
    found = _patiently(lambda: consumer.offsets_for_times(asked, timeout=_PATIENCE_S))
    return {(p.topic, p.partition): _checked(p) for p in found}


def _patiently(ask: Callable[[], list[TopicPartition]]) -> list[TopicPartition]:
    """Asks again while a partition of a new topic, or of a broker that is away, has no leader."""
    for _ in range(_MOST_TRIES):
        try:
            return ask()
        except KafkaException as error:
            if error.args[0].code() not in _LEADERLESS:
                raise
        threading.Event().wait(_BETWEEN_TRIES_S)
    return ask()


def _checked(found: TopicPartition) -> int:
    if found.error is not None:
        raise RuntimeError(f"{found.topic}[{found.partition}]: {found.error}")
    return found.offset
