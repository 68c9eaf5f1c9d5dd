"""The valve: whether URLs may be let out at all. Pure.

The pipeline is a loop with a fan-out of fifty, so a full queue anywhere could block itself. The frontier
is the only place that holds back; it takes input always, and everything else drains.
"""

from enum import StrEnum


class ValveClosed(StrEnum):
    """Why nothing is let out."""

    PAUSED = "paused"
    BUDGET_SPENT = "budget spent"
    LAG = "the services behind are busy"
    DISK_LOW = "disk almost full"


class Valve:
    """Open unless one of its four reasons holds."""

    def __init__(self, most_lag: int) -> None:
        self._most_lag = most_lag
        self.paused = False

    def closed(self, *, spent: bool, disk_low: bool, lag: int) -> ValveClosed | None:
        """The first reason that holds; None when it is open."""
        if self.paused:
            return ValveClosed.PAUSED
        if spent:
            return ValveClosed.BUDGET_SPENT
        if disk_low:
            return ValveClosed.DISK_LOW
        if lag > self._most_lag:
            return ValveClosed.LAG
        return None
