"""A turn a fixed time for each IP address, first come, first served, whatever sites it serves."""

from collections import deque
from heapq import heappop, heappush
from typing import Generic, TypeVar

T = TypeVar("T")

# Addresses remembered before those that nobody waits for are forgotten.
_FEW = 1_000


class _Address(Generic[T]):
    __slots__ = ("next_at", "waiting", "woken")

    def __init__(self, next_at: float) -> None:
        self.next_at = next_at
        self.waiting: deque[T] | None = None
        # Whose turn it is.
        self.woken: T | None = None


class AddressGate(Generic[T]):
    """Lets one turn through for each address and interval. A turn costs O(log addresses)."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._addresses: dict[str, _Address[T]] = {}
        # (when, order, address): the first who waits there is woken.
        self._wakes: list[tuple[float, int, _Address[T]]] = []
        self._pushes = 0
        self._forget_at = _FEW

    def passes(self, ip: str, turn: T, now: float) -> bool:
        """Whether the turn may go now; if not, it waits here until `woken` gives it back."""
        if not ip or not self._interval:
            return True
        address = self._addresses.get(ip)
        if address is None:
            address = self._addresses[ip] = _Address(now)
            if len(self._addresses) > self._forget_at:
                self._forget_idle(now)
        its_turn = address.woken == turn
        if now >= address.next_at and (its_turn or not (address.woken or address.waiting)):
            address.woken = None
            address.next_at = now + self._interval
            if address.waiting:
                self._wake_later(address)
            return True
        self._wait(address, turn, its_turn)
        return False

    def _wait(self, address: _Address[T], turn: T, its_turn: bool) -> None:
        if address.waiting is None:
            address.waiting = deque()
        idle = not address.waiting and address.woken is None
        if its_turn:
            address.woken = None
            address.waiting.appendleft(turn)
        else:
            address.waiting.append(turn)
        if idle or its_turn:
            self._wake_later(address)

    def _wake_later(self, address: _Address[T]) -> None:
        self._pushes += 1
        heappush(self._wakes, (address.next_at, self._pushes, address))

    def woken(self, now: float) -> T | None:
        """The next turn whose address is free; None when there is none. It comes to `passes` again, or
        is given up by `leaves`."""
        while self._wakes and self._wakes[0][0] <= now:
            address = heappop(self._wakes)[2]
            if address.waiting and address.woken is None:
                address.woken = address.waiting.popleft()
                return address.woken
        return None

    def leaves(self, ip: str, turn: T) -> None:
        """A woken turn that does not come back, so that the next one is woken."""
        address = self._addresses.get(ip)
        if address is not None and address.woken == turn:
            address.woken = None
            if address.waiting:
                self._wake_later(address)

    def next_at(self) -> float | None:
        """When the next turn is woken."""
        return self._wakes[0][0] if self._wakes else None

    def known(self) -> int:
        """Addresses remembered."""
        return len(self._addresses)

    def clear(self) -> None:
        self._addresses.clear()
        self._wakes.clear()

    def _forget_idle(self, now: float) -> None:
        self._addresses = {
            ip: address
            for ip, address in self._addresses.items()
            if address.next_at >= now or address.waiting or address.woken is not None
        }
        self._forget_at = 2 * len(self._addresses) + _FEW
