"""One Bloom filter in RedisBloom that knows when something of it is missing.

Beside the filter lies its mark: who wrote last, a number that grows, up to which offset of the log, for
how many digests. The mark is written after what it speaks of, so whatever a server forgets (an older
snapshot, a failover, the last second of its file) takes the newest mark with it. A mark that is not the
one written last means that the filter may say no wrongly: it is lost, and is never believed again.
"""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from redis.exceptions import ResponseError

from nephila_storage.redis_connections import RedisAway, RedisConnections

BATCH = 500
# Owed while Redis is away: 10 MB at most. What comes beyond makes the filter lost.
OWED_AT_MOST = 100_000

# In every filter, and asked for each time: a filter that is gone answers no to everything.
_SENTINEL = b"sentinel"
_BULK_DIGEST = b"\r\n$16\r\n"


@dataclass(frozen=True, slots=True)
class Mark:
    """What lies beside a filter. `offset` is -1 when it is not known what it holds of the log."""

    writer: str
    number: int
    offset: int
    capacity: int
    count: int

    def packed(self) -> bytes:
        words = (self.writer, self.number, self.offset, self.capacity, self.count)
        return " ".join(map(str, words)).encode()

    @classmethod
    def of(cls, packed: object) -> "Mark | None":
        """None when it is none."""
        words = packed.split() if isinstance(packed, bytes) else []
        if len(words) != 5:
            return None
        writer, *numbers = words
        return cls(writer.decode(), *map(int, numbers))


def command(*words: bytes) -> bytes:
    """As the protocol has it."""
    parts = [b"*%d\r\n" % len(words)]
    parts += [b"$%d\r\n%b\r\n" % (len(word), word) for word in words]
    return b"".join(parts)


def batches(words: Sequence[bytes], digests: Sequence[bytes]) -> list[bytes]:
    """Commands that begin with `words` and hold at most BATCH digests of 16 bytes each."""
    start = b"".join(b"$%d\r\n%b\r\n" % (len(word), word) for word in words)
    commands: list[bytes] = []
    for first in range(0, len(digests), BATCH):
        part = digests[first : first + BATCH]
        # The digests of one join: a tenth of the cost of packing each.
        body = b"$16\r\n" + _BULK_DIGEST.join(part) + b"\r\n"
        commands.append(b"*%d\r\n%b%b" % (len(words) + len(part), start, body))
    return commands


class RedisFilter:
    """A filter that `mark` lies beside already. Writes go on when their caller is cancelled."""

    def __init__(self, connections: RedisConnections, key: str, mark: Mark) -> None:
        self._connections = connections
        self._key = key.encode()
        self._mark_key = f"{key}:mark".encode()
        self._mark = mark
        # Of the last mark tried; beyond the number of `_mark` while an answer is awaited, or was lost.
        self._tried = mark.number
        self._owed: list[bytes] = []
        self._writing = asyncio.Lock()
        self._tasks: set[asyncio.Task[bool]] = set()
        self.lost = False
        # Told to be in the filter, of the log; goes into the next mark.
        self.offset = mark.offset

    @property
    def capacity(self) -> int:
        return self._mark.capacity

    @property
    def count(self) -> int:
        """What was added, at most: digests that came twice count twice."""
        return self._mark.count + len(self._owed)

    @property
    def owes(self) -> bool:
        """Something was added that may not be in it yet."""
        return bool(self._owed)

    @classmethod
    async def reserved(
        cls, connections: RedisConnections, key: str, rate: float, mark: Mark
    ) -> "RedisFilter":
        """A new one in the place of any of that key. Raises RedisAway, ResponseError.

        RedisBloom sizes it: -n ln p / (ln 2)^2 bits and -log2(p) hashes for n digests at the rate p.
        """
        name, room = key.encode(), b"%d" % (mark.capacity + 1)
        async with connections.line() as line:
            answers = await line.ask(
                [
                    command(b"DEL", name),
                    command(b"DEL", name + b":mark"),
                    command(b"BF.RESERVE", name, repr(rate).encode(), room, b"NONSCALING"),
                    command(b"BF.INSERT", name, b"NOCREATE", b"ITEMS", _SENTINEL),
                    command(b"SET", name + b":mark", mark.packed()),
                ]
            )
        if "memory" in str(answers[2]):
            raise RedisAway(str(answers[2]))
        _raise_errors(answers)
        return cls(connections, key, mark)

    @classmethod
    async def taken_over(
        cls, connections: RedisConnections, key: str, writer: str
    ) -> "RedisFilter | None":
        """That which another writer left; None when it is not whole. Raises RedisAway, ResponseError."""
        name = key.encode()
        async with connections.line() as line:
            found, there = await line.ask(
                [command(b"GET", name + b":mark"), command(b"BF.EXISTS", name, _SENTINEL)]
            )
            _raise_errors([found, there])
            old = Mark.of(found)
            if old is None or not there:
                return None
            mark = replace(old, writer=writer, number=old.number + 1)
            (written,) = await line.ask([command(b"SET", name + b":mark", mark.packed(), b"XX")])
            _raise_errors([written])
        return cls(connections, key, mark) if written else None

    async def contains(self, digests: Sequence[bytes]) -> list[bool] | None:
        """For each; None when it cannot tell now, or is lost."""
        if self.owes and not await self.settle():
            return None
        if self.lost:
            return None
        at_least = self._mark.number
        commands = batches([b"BF.MEXISTS", self._key, _SENTINEL], digests)
        try:
            async with self._connections.line() as line:
                # The mark last: it speaks for all answers before it.
                *answers, mark = await line.ask([*commands, command(b"GET", self._mark_key)])
        except RedisAway:
            return None
        _raise_errors([mark])
        seen: list[bool] = []
        for answer in answers:
            if not isinstance(answer, list) or not answer[0]:
                self._lose()
                return None
            seen += map(bool, answer[1:])
        if not self._is_ours(mark, at_least):
            self._lose()
            return None
        return seen

    def owe(self, digests: Iterable[bytes]) -> None:
        """To be added by the next `settle`. Until then `contains` does not tell."""
        if self.lost:
            return
        self._owed += digests
        if len(self._owed) > OWED_AT_MOST:
            self._lose()

    async def settle(self) -> bool:
        """Adds what is owed and writes the mark; whether the filter is whole. A cancelled caller stops none
        of it: a write that is broken off could still reach the server, after a later one."""
        task = asyncio.ensure_future(self._settle())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return await asyncio.shield(task)

    async def settled(self) -> None:
        """Waits for the writes of cancelled callers."""
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _settle(self) -> Coroutine[Any, Any, bool]:
        async def locked() -> bool:
            async with self._writing:
                try:
                    return await self._write()
                except RedisAway:
                    return False

        return locked()

    async def _write(self) -> bool:
        while not self.lost and (self._owed or self.offset != self._mark.offset):
            part = self._owed[: 20 * BATCH]
            offset = self.offset if len(part) == len(self._owed) else self._mark.offset
            count = self._mark.count + len(part)
            # A number of its own for each try: which of two was cut off must stay clear.
            self._tried += 1
            mark = replace(self._mark, number=self._tried, offset=offset, count=count)
            if not await self._write_part(part, mark):
                self._lose()
                return False
            self._mark = mark
            del self._owed[: len(part)]
        return not self.lost

    async def _write_part(self, part: list[bytes], mark: Mark) -> bool:
        """False when the filter is not whole: full, gone, or another than before."""
        words = [b"BF.INSERT", self._key, b"NOCREATE", b"ITEMS"]
        async with self._connections.line() as line:
            # What is added to another filter than ours does no harm; a mark would.
            *answers, found = await line.ask(
                [*batches(words, part), command(b"GET", self._mark_key)]
            )
            _raise_errors([found])
            if not self._is_ours(found, self._mark.number) or not all(map(_all_taken, answers)):
                return False
            (written,) = await line.ask([command(b"SET", self._mark_key, mark.packed(), b"XX")])
        _raise_errors([written])
        return bool(written)

    def _is_ours(self, packed: object, at_least: int) -> bool:
        """Written by this filter, not before the mark of that number."""
        mark = Mark.of(packed)
        return (
            mark is not None
            and mark.writer == self._mark.writer
            and at_least <= mark.number <= self._tried
        )

    def _lose(self) -> None:
        self.lost = True
        self._owed.clear()


def _all_taken(answer: object) -> bool:
    # A full filter answers for what it took, then with an error in the place of the next.
    return isinstance(answer, list) and not (answer and isinstance(answer[-1], Exception))


def _raise_errors(answers: Iterable[object]) -> None:
    for answer in answers:
        if isinstance(answer, ResponseError):
            raise answer
