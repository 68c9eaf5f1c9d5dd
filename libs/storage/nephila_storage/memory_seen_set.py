"""The seen set of one process: a Bloom filter in memory, rebuilt at start."""

from collections.abc import Sequence
from functools import partial

from rbloom import Bloom

CROWDED = 0.8

# The digest is a hash already (rbloom takes a signed 128-bit one): answers do not change between runs,
# as they would with Python's own seeded hash.
_AS_HASH = partial(int.from_bytes, byteorder="big", signed=True)


class MemorySeenSet:
    """A `SeenSet`. At 0.1 % false answers a digest costs 14.4 bits of the capacity (-log2(p) / ln 2)."""

    def __init__(self, least_capacity: int = 1_000_000, false_positive_rate: float = 0.001) -> None:
        self._least_capacity = least_capacity
        self._false_positive_rate = false_positive_rate
        self._capacity = 0
        self._count = 0
        self._filter: Bloom | None = None
        self._next_capacity = 0
        self._next_count = 0
        self._next: Bloom | None = None

    async def probably_seen(self, digests: Sequence[bytes]) -> list[bool]:
        seen = self._filter
        if seen is None:
            return [True] * len(digests)
        return [digest in seen for digest in digests]

    async def add(self, digests: Sequence[bytes]) -> None:
        if self._filter is not None:
            self._filter.update(digests)
            self._count += len(digests)
        await self.refill(digests)

    async def crowded(self) -> bool:
        return self._filter is not None and self._count >= CROWDED * self._capacity

    async def start_over(self, count: int) -> None:
        # Full to 80 % at `count`, doubled.
        self._next_capacity = max(self._least_capacity, int(2 * count / CROWDED))
        self._next = Bloom(self._next_capacity, self._false_positive_rate, _AS_HASH)
        self._next_count = 0

    async def refill(self, digests: Sequence[bytes]) -> None:
        if self._next is not None:
            self._next.update(digests)
            self._next_count += len(digests)

    async def switch_over(self) -> None:
        if self._next is None:
            return
        self._filter, self._next = self._next, None
        self._capacity, self._count = self._next_capacity, self._next_count
