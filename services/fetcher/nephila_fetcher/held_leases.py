"""Which leases this process holds, and which messages are copies, come from the past, or may have been
under way when the process before this one died."""

import asyncio
from collections import defaultdict
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass

from nephila_contracts import topics
from nephila_contracts.v1.fetch_pb2 import Attempt, FetchRequested
from nephila_runtime import Assignment, Record

# An attempt's sequence is its frontier partition's epoch x 2^40 plus a counter.
_EPOCH_SHIFT = 40
# Attempts remembered in each of two generations, to drop the copies that a frontier publishes at its
# assignment: 96 bytes each, where an entry in order of use takes 208.
_GENERATION = 32_768


@dataclass(frozen=True, slots=True)
class _Takeover:
    """A partition taken over at an instant of the clock, its log ending there."""

    at: float
    end: int


@dataclass(slots=True, eq=False)
class Lease:
    """A fetch under way. `given_back` when its partition was taken away meanwhile."""

    partition: int
    task: "asyncio.Task[object]"
    given_back: bool = False


class HeldLeases:
    """In memory, a partition at a time; a restart forgets it, and the frontier publishes anew."""

    def __init__(self) -> None:
        self._epochs: dict[int, int] = {}
        # Filled when a lease is taken; emptied by number, failure and revocation.
        self._taken: defaultdict[int, set[str]] = defaultdict(set)
        self._count = 0
        # When those are many they become the older ones.
        self._taken_before: dict[int, set[str]] = {}
        self._open: list[Lease] = []
        self._takeovers: dict[int, _Takeover] = {}

    def begin(self, assignment: Assignment, now: float) -> None:
        """Partitions are held from now on; what was known of them is forgotten."""
        self.forget(assignment.partitions)
        if assignment.clean:
            return
        for partition in assignment.partitions:
            end = assignment.ends.get((topics.FETCH_REQUESTED.name, partition), 0)
            self._takeovers[partition] = _Takeover(now, end)

    def taken_over_at(self, record: Record[FetchRequested]) -> float | None:
        """When a lease that may have been under way elsewhere came over; None for one that was not.

        A request may have gone out for it until then, so the delay starts there, in full.
        """
        takeover = self._takeovers.get(record.partition)
        return takeover.at if takeover and record.offset < takeover.end else None

    def take(self, partition: int, attempt: Attempt) -> bool:
        """False for an epoch that is over, and for an attempt that was taken already."""
        epoch = attempt.sequence >> _EPOCH_SHIFT
        if epoch < self._epochs.get(partition, 0):
            return False
        self._epochs[partition] = epoch
        taken, attempt_id = self._taken[partition], attempt.attempt_id
        if attempt_id in taken or attempt_id in self._taken_before.get(partition, ()):
            return False
        taken.add(attempt_id)
        self._count += 1
        if self._count >= _GENERATION:
            self._taken_before, self._taken = self._taken, defaultdict(set)
            self._count = 0
        return True

    def untake(self, partition: int, attempt: Attempt) -> None:
        """The handling failed: the host will hand the message in again."""
        for taken in (self._taken, self._taken_before):
            if partition in taken:
                taken[partition].discard(attempt.attempt_id)

    @contextmanager
    def under_way(self, partition: int) -> Generator[Lease, None, None]:
        """Registers the running task, so that `give_back` can end it."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a fetch runs in a task")
        lease = Lease(partition, task)
        self._open.append(lease)
        try:
            yield lease
        finally:
            self._open.remove(lease)

    def give_back(self, partitions: Iterable[int]) -> None:
        """Ends the fetches of these partitions; what is known of them is forgotten."""
        gone = frozenset(partitions)
        for lease in self._open:
            if lease.partition in gone and not lease.given_back:
                lease.given_back = True
                lease.task.cancel("the partition was taken away")
        self.forget(gone)

    def forget(self, partitions: Iterable[int]) -> None:
        for partition in partitions:
            self._epochs.pop(partition, None)
            self._takeovers.pop(partition, None)
            self._taken.pop(partition, None)
            self._taken_before.pop(partition, None)
