"""The seen set: URLs already let through, probably."""

from collections.abc import Sequence
from typing import Protocol


class SeenSet(Protocol):
    """A set of URL digests that may say yes too often, and never no wrongly.

    Filled by url_dedup in `after` alone, once the URL is durable; emptied by nobody; rebuilt from
    url_state at start.
    """

    async def probably_seen(self, digests: Sequence[bytes]) -> list[bool]:
        """For each digest: False means certainly not seen."""
        ...

    async def add(self, digests: Sequence[bytes]) -> None: ...
