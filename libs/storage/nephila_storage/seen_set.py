"""The seen set: URLs already let through, probably."""

from collections.abc import Sequence
from typing import Protocol


class SeenSet(Protocol):
    """A set of URL digests that may say yes too often, and never no wrongly.

    Filled by url_dedup in `after` alone, once the URL is durable; emptied by nobody; rebuilt from
    url_state at start, and at double size when it is crowded. Until it was built once, it says yes
    to everything, so that url_state is asked.

    It is built in three steps, so that a large one need not be built in one go: `start_over`, then
    `refill` with every digest of url_state, then `switch_over`. Meanwhile the old one answers, and what
    is added goes into both.
    """

    async def probably_seen(self, digests: Sequence[bytes]) -> list[bool]:
        """For each digest: False means certainly not seen."""
        ...

    async def add(self, digests: Sequence[bytes]) -> None:
        """Digests of 16 bytes, evenly distributed."""
        ...

    async def crowded(self) -> bool:
        """True when it is time to start over: 80 % of what it was sized for is in it, or it lost something
        and can be built again."""
        ...

    async def start_over(self, count: int) -> None:
        """Begins a new one that `count` digests will fill to 40 %; one under way is given up."""
        ...

    async def refill(self, digests: Sequence[bytes]) -> None:
        """Adds to the new one alone. Nothing happens when none is under way."""
        ...

    async def switch_over(self) -> None:
        """Puts the new one in the place of the old. Nothing happens when none is under way."""
        ...
