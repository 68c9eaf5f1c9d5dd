"""The seen set of one partition in RedisBloom, which outlives its process."""

from collections.abc import Sequence

from redis.exceptions import ResponseError

from nephila_storage.redis_connections import RedisAway, RedisConnections
from nephila_storage.redis_filter import Mark, RedisFilter, command

CROWDED = 0.8


class RedisSeenSet:
    """A `SeenSet`. `seen:{partition}` names the generation in use, `seen:{partition}:{generation}` is it.

    While it is behind (never built, away, wiped, restored, full, written by somebody else), it says yes to
    everything, so that url_state is asked; what a lost one lacks comes back with the next `start_over`,
    which `crowded` then asks for.

    Who gets the partition calls `take_over` and adds what the log holds from that offset on; then, and
    after each batch, `reached`. `writer` names this process and run: no two are alike.
    """

    def __init__(
        self,
        connections: RedisConnections,
        partition: int,
        writer: str,
        least_capacity: int = 1_000_000,
        false_positive_rate: float = 0.001,
    ) -> None:
        self._connections = connections
        self._pointer = f"seen:{partition}"
        self._writer = writer
        self._least_capacity = least_capacity
        self._rate = false_positive_rate
        self._generation = 0
        self._next_generation = 0
        self._oldest = 1
        self._filter: RedisFilter | None = None
        self._next: RedisFilter | None = None
        # Built and not taken over, or taken over and caught up.
        self._complete = False
        self._wants_building = False
        self._offset = -1

    def behind(self) -> bool:
        """True while every answer is yes, as far as is known without asking Redis."""
        seen = self._filter
        return seen is None or not self._complete or seen.lost or seen.owes

    async def take_over(self) -> int | None:
        """The offset of the log from which on it may lack something; None when it must be built.

        It says yes to everything until `reached` is called. Raises ResponseError.
        """
        try:
            generation = await self._named_generation()
            found = generation and await RedisFilter.taken_over(
                self._connections, self._key(generation), self._writer
            )
        except RedisAway:
            return None
        if not found or found.offset < 0:
            return None
        self._filter, self._generation, self._oldest = found, generation, generation
        self._complete, self._offset = False, found.offset
        return found.offset

    def reached(self, offset: int) -> None:
        """Everything below this offset of the log was added. Kept with the next digests."""
        self._offset = offset
        self._complete = self._filter is not None
        for each in (self._filter, self._next):
            if each is not None:
                each.offset = offset

    async def probably_seen(self, digests: Sequence[bytes]) -> list[bool]:
        seen = self._filter
        answers = await seen.contains(digests) if seen is not None and self._complete else None
        return [True] * len(digests) if answers is None else answers

    async def add(self, digests: Sequence[bytes]) -> None:
        both = [each for each in (self._filter, self._next) if each is not None]
        # Owed by both before either is waited for: a cancelled caller leaves neither behind.
        for each in both:
            each.owe(digests)
        for each in both:
            await each.settle()

    async def crowded(self) -> bool:
        seen = self._filter
        crowded = self._wants_building or (
            seen is not None and (seen.lost or seen.count >= CROWDED * seen.capacity)
        )
        return crowded and await self._answers()

    async def start_over(self, count: int) -> None:
        given_up, self._next, self._wants_building = self._next, None, True
        if given_up is not None:
            # Its key is used again.
            await given_up.settled()
        # Full to 80 % at `count`, doubled.
        capacity = max(self._least_capacity, int(2 * count / CROWDED))
        mark = Mark(self._writer, 0, self._offset, capacity, 0)
        try:
            named = await self._named_generation()
            self._next_generation = max(named, self._generation) + 1
            self._oldest = min(named or self._oldest, self._generation or self._next_generation)
            self._next = await RedisFilter.reserved(
                self._connections, self._key(self._next_generation), self._rate, mark
            )
        except RedisAway:
            return

    async def refill(self, digests: Sequence[bytes]) -> None:
        if self._next is not None:
            self._next.owe(digests)
            await self._next.settle()

    async def switch_over(self) -> None:
        new = self._next
        if new is None:
            return
        try:
            whole = await new.settle() and await new.contains([bytes(16)]) is not None
            if whole:
                await self._name_generation(self._next_generation)
                self._filter, self._generation = new, self._next_generation
                self._complete, self._wants_building = True, False
        except RedisAway:
            return
        finally:
            self._next = None

    async def settled(self) -> None:
        """Waits for the writes of cancelled callers, before the connections are closed."""
        for each in (self._filter, self._next):
            if each is not None:
                await each.settled()

    def _key(self, generation: int) -> str:
        return f"{self._pointer}:{generation}"

    async def _named_generation(self) -> int:
        """0 when none is named."""
        async with self._connections.line() as line:
            (named,) = await line.ask([command(b"GET", self._pointer.encode())])
        if isinstance(named, ResponseError):
            raise named
        return int(named or 0)

    async def _name_generation(self, generation: int) -> None:
        async with self._connections.line() as line:
            name = command(b"SET", self._pointer.encode(), b"%d" % generation)
            (named,) = await line.ask([name])
            if isinstance(named, ResponseError):
                raise named
            old = [self._key(number).encode() for number in range(self._oldest, generation)]
            await line.ask([command(b"DEL", key, key + b":mark") for key in old])
        self._oldest = generation

    async def _answers(self) -> bool:
        try:
            await self._named_generation()
        except RedisAway:
            return False
        return True
