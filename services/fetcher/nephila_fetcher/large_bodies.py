"""How many large bodies are received at once, so that memory has a bound.

Without it, 256 fetches of 10 MB each would hold 2.5 GB; with it, 256 MB and 16 times 10 MB.
"""

from collections import OrderedDict
from collections.abc import Callable

# Pages are 0.1 MB on average: very few ever come here.
LARGE = 1_000_000


class Turn:
    """One large body: received on while `admitted`, else its connection is not read."""

    __slots__ = ("admitted", "resume")

    def __init__(self, resume: Callable[[], None], *, admitted: bool) -> None:
        self.resume = resume
        self.admitted = admitted


class LargeBodies:
    """Those admitted always go on to their end, so that waiting for a turn ends too (or at the limit
    of time)."""

    def __init__(self, at_once: int = 16) -> None:
        self._free = at_once
        # First come, first served. Filled by `enter`; emptied by `leave`.
        self._waiting: OrderedDict[Turn, None] = OrderedDict()

    def enter(self, resume: Callable[[], None]) -> Turn:
        """A turn; when it is not admitted yet, `resume` is called once it is."""
        admitted = self._free > 0
        turn = Turn(resume, admitted=admitted)
        if admitted:
            self._free -= 1
        else:
            self._waiting[turn] = None
        return turn

    def leave(self, turn: Turn) -> None:
        """The body has ended, whole or not: once for each turn."""
        if not turn.admitted:
            del self._waiting[turn]
        elif self._waiting:
            following, _ = self._waiting.popitem(last=False)
            following.admitted = True
            following.resume()
        else:
            self._free += 1
