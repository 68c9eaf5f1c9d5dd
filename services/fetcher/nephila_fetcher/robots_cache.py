"""The rules of each origin, for 24 hours at most, and how long an unreachable robots.txt rests."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import timedelta

from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime import Clock

from nephila_fetcher.robots import RobotsRules

# Of an entry without text: a key, an entry, a node.
_ENTRY_BYTES = 500


@dataclass(frozen=True, slots=True)
class Unreachable:
    """All is disallowed until `retry_at`, on the clock of the cache. `cause` is what `explain` shows."""

    cause: Reason
    failures: int
    retry_at: float

    def rest(self, now: float) -> timedelta:
        """How long until it is asked for again."""
        return timedelta(seconds=max(self.retry_at - now, 0.0))


@dataclass(frozen=True, slots=True)
class _Entry:
    verdict: RobotsRules | Unreachable
    until: float
    size: int


class RobotsCache:
    """Keyed by origin: scheme, host and port each have their own robots.txt (RFC 9309 2.3).

    Filled by the fetch step, emptied by age and size. Held in memory: a restart asks again. A store
    that keeps it joins at `rules` and `keep`.
    """

    def __init__(
        self,
        clock: Clock,
        lifetime: timedelta,
        retry: timedelta,
        retry_longest: timedelta,
        size_limit: int,
    ) -> None:
        self._clock = clock
        self._lifetime = lifetime.total_seconds()
        self._retry = retry.total_seconds()
        self._retry_longest = retry_longest.total_seconds()
        self._size_limit = size_limit
        # Least recently used first.
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        return len(self._entries)

    def verdict(self, origin: str) -> RobotsRules | Unreachable | None:
        """None when robots.txt has to be asked for."""
        entry = self._entries.get(origin)
        if entry is None or entry.until <= self._clock.now():
            return None
        self._entries.move_to_end(origin)
        return entry.verdict

    def keep(self, origin: str, rules: RobotsRules, body_bytes: int = 0) -> None:
        """`body_bytes` is the size of the text that the rules come from."""
        size = _ENTRY_BYTES + 4 * body_bytes
        self._put(origin, _Entry(rules, self._clock.now() + self._lifetime, size))

    def keep_unreachable(self, origin: str, cause: Reason, asked: timedelta) -> Unreachable:
        """Backs off: doubled at each failure in a row, or as long as the server asks."""
        before = self._entries.get(origin)
        verdict = before.verdict if before else None
        failures = verdict.failures if isinstance(verdict, Unreachable) else 0
        wait = min(self._retry * 2.0 ** min(failures, 30), self._retry_longest)
        retry_at = self._clock.now() + max(wait, asked.total_seconds())
        verdict = Unreachable(cause, failures + 1, retry_at)
        self._put(origin, _Entry(verdict, retry_at, _ENTRY_BYTES))
        return verdict

    def _put(self, origin: str, entry: _Entry) -> None:
        replaced = self._entries.pop(origin, None)
        self._entries[origin] = entry
        self._size += entry.size - (replaced.size if replaced else 0)
        while self._size > self._size_limit and len(self._entries) > 1:
            self._size -= self._entries.popitem(last=False)[1].size
