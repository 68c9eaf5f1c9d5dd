"""How closely turns follow each other."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True)
class Pace:
    """A turn ends in a commit, which costs the same for one record as for five hundred."""

    least_turn: timedelta = timedelta(milliseconds=20)
    """Turns begin at least this far apart, so that work is gathered for a commit."""
    rest_factor: float = 2.0
    """A turn is followed by a rest of this many times what it took: the busier the core or the slower
    the disk, the more work meets in one commit; the quieter, the sooner it is seen."""
    longest_rest: timedelta = timedelta(milliseconds=150)
    """Where that ends: a host's next URL waits for two turns."""

    def next_turn_at(self, started: float, now: float) -> float:
        """When the next turn may begin, on the clock, after one that has just ended."""
        rest = min((now - started) * self.rest_factor, self.longest_rest.total_seconds())
        return max(started + self.least_turn.total_seconds(), now + rest)
