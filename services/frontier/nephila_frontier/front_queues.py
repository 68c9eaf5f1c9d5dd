"""Front queues: sites whose turn has come, by the priority class of what they would fetch.

Filled by back queues when a timer is up, emptied by dispatch. The biased selector gives each class its
weight of the turns and starves none.
"""

from collections import deque
from collections.abc import Sequence
from typing import Generic, TypeVar

from nephila_frontier.capacity import CapacitySplit
from nephila_frontier.priority import CLASS_WEIGHTS, CLASSES, LANE_OF, Lane

T = TypeVar("T")


class ClassSelector:
    """Smooth weighted round robin: of W turns, W the sum of the weights of those that wait, each class
    gets its weight, spread out."""

    def __init__(self, weights: Sequence[float]) -> None:
        self._weights = weights
        self._credit = [0.0] * len(weights)

    def pick(self, classes: Sequence[int]) -> int:
        """The class that goes next. `classes` are those that have work, at least one."""
        if len(classes) == 1:
            return classes[0]
        credit, total = self._credit, 0.0
        for index in classes:
            credit[index] += self._weights[index]
            total += self._weights[index]
        chosen = max(classes, key=credit.__getitem__)
        credit[chosen] -= total
        return chosen


class FrontQueues(Generic[T]):
    """Turns by priority class."""

    def __init__(self, split: CapacitySplit) -> None:
        self._queues: list[deque[T]] = [deque() for _ in range(CLASSES)]
        self._split = split
        self._selector = ClassSelector(CLASS_WEIGHTS)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def put(self, queue_class: int, turn: T, *, first: bool = False) -> None:
        """`first` is for one that has waited already."""
        queue = self._queues[queue_class]
        (queue.appendleft if first else queue.append)(turn)
        self._count += 1

    def take(self) -> T | None:
        """The next turn; None when nobody waits."""
        if not self._count:
            return None
        self._count -= 1
        classes = [index for index, queue in enumerate(self._queues) if queue]
        if len(classes) == 1:
            return self._queues[classes[0]].popleft()
        lane = self._split.pick(sorted({LANE_OF[index] for index in classes}))
        if lane != Lane.NEW:
            return self._queues[LANE_OF.index(lane)].popleft()
        fresh = [index for index in classes if LANE_OF[index] == Lane.NEW]
        return self._queues[self._selector.pick(fresh)].popleft()

    def clear(self) -> None:
        for queue in self._queues:
            queue.clear()
        self._count = 0
