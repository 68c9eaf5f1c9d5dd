"""One request at a time to a host, and the delay from the end of one to the next."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from nephila_runtime import Clock

# Hosts at rest are forgotten beyond this many; the frontier keeps the delay too.
_REMEMBERED = 50_000


@dataclass(slots=True)
class _Turn:
    busy: bool = False
    ended_at: float | None = None
    waiting: deque[asyncio.Future[None]] = field(default_factory=deque[asyncio.Future[None]])


class HostTurns:
    """The fetcher's own half of politeness; the frontier's leases are the other half.

    It holds for every request: pages, robots.txt, and the hosts that a robots.txt redirects to.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        # Longest unused first.
        self._turns: OrderedDict[str, _Turn] = OrderedDict()
        # When a host that this process never asked may have ended an answer to another one.
        self._others_ended_at: float | None = None

    def take_over(self) -> None:
        """Another process may have asked any host until just now: hosts unknown here wait their delay."""
        self._others_ended_at = self._clock.now()

    def vouch(self, host: str) -> None:
        """The frontier says that the host's time has come: what others asked it is over."""
        if host not in self._turns:
            self._turns[host] = _Turn()

    @asynccontextmanager
    async def turn(self, host: str, delay: float) -> AsyncGenerator[None, None]:
        """Waits until nobody else asks `host` and `delay` seconds have passed since the last end."""
        turn = self._turns.get(host)
        if turn is None:
            turn = self._turns[host] = _Turn(ended_at=self._others_ended_at)
        await self._enter(turn)
        try:
            if turn.ended_at is not None:
                rest = turn.ended_at + delay - self._clock.now()
                if rest > 0:
                    await self._clock.sleep(rest)
            try:
                yield
            finally:
                turn.ended_at = self._clock.now()
        finally:
            self._leave(turn)
            self._turns.move_to_end(host)
            self._forget_some()

    async def _enter(self, turn: _Turn) -> None:
        if not turn.busy:
            turn.busy = True
            return
        mine = asyncio.get_running_loop().create_future()
        turn.waiting.append(mine)
        try:
            await mine
        except asyncio.CancelledError:
            if mine.done() and not mine.cancelled():
                self._leave(turn)  # It was handed over just before: hand it on.
            elif mine in turn.waiting:
                turn.waiting.remove(mine)
            raise

    def _leave(self, turn: _Turn) -> None:
        while turn.waiting:
            following = turn.waiting.popleft()
            if not following.done():
                following.set_result(None)
                return
        turn.busy = False

    def _forget_some(self) -> None:
        while len(self._turns) > _REMEMBERED:
            host, oldest = next(iter(self._turns.items()))
            if oldest.busy:
                return
            del self._turns[host]
