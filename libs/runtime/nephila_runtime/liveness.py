"""Whether this process still holds its partitions: an assignment alone is not a lock (design 4.7).

A process that slept for a minute still believes in its assignment, while another one works on it. What
proves it held is that the group's coordinator has taken an offset commit of this generation: the coordinator
gives the partitions to nobody else until a session time-out later. So something that must not be done
twice at once, such as a request to a host, starts only while the last such commit, counted from
when it was sent, is younger than that, on a clock that runs while the process is stopped.
"""

from datetime import timedelta
from typing import Protocol

from nephila_runtime.clock import Clock

_LOOK_AGAIN_AFTER = 0.05


class Tenure(Protocol):
    """What a service asks just before it acts on the world."""

    def may_act(self) -> bool: ...

    async def until_may_act(self) -> None:
        """Returns once `may_act` holds. The task that waits here is cancelled at a revocation."""
        ...


class Unchallenged:
    """The tenure of the one process that holds a lock on its folder."""

    def may_act(self) -> bool:
        return True

    async def until_may_act(self) -> None:
        return


class Liveness:
    """The tenure of a member of a consumer group. Told by its host, from any thread."""

    def __init__(self, clock: Clock, session_timeout: timedelta) -> None:
        self._clock = clock
        self._session = session_timeout.total_seconds()
        self._proved_at: float | None = None

    def proved(self, sent_at: float) -> None:
        """A commit sent at that instant of the clock was taken."""
        self._proved_at = sent_at

    def ended(self) -> None:
        """The partitions are being taken away, or have been."""
        self._proved_at = None

    def may_act(self) -> bool:
        proved_at = self._proved_at
        return proved_at is not None and self._clock.now() - proved_at < self._session

    async def until_may_act(self) -> None:
        while not self.may_act():
            await self._clock.sleep(_LOOK_AGAIN_AFTER)

    def next_proof_at(self) -> float | None:
        """When the next commit is due even if nothing was finished; None while nothing is held."""
        # Every sixth: five may fail or be late until a fetch has to wait.
        return None if self._proved_at is None else self._proved_at + self._session / 6
