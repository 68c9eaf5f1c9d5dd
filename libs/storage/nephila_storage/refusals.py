"""What was refused: counters, and some samples of each. Refused URLs have no row in url_state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from nephila_contracts.v1.reason_pb2 import Reason

# Samples that are kept of each site key and reason to show what a reason means, and no more.
SAMPLES = 100


@dataclass(frozen=True, slots=True)
class RefusedUrl:
    """A URL that was refused, as it was met. `url` is no canonical URL where the reason says so."""

    site_key: str
    reason: Reason
    url: str
    source_url: str
    depth: int


class RefusalLog(Protocol):
    """Written by url_dedup, which refuses; read by status and `nephila explain`.

    A site key here is that of the refused URL.
    """

    async def add(
        self, counts: Mapping[tuple[str, Reason], int], samples: Sequence[RefusedUrl]
    ) -> None:
        """Adds to the counters, and keeps samples while there are fewer than 100 of their site key and
        reason. A URL is one sample, however often it comes."""
        ...

    async def counts(self) -> dict[tuple[str, Reason], int]:
        """Refusals by site key and reason."""
        ...

    async def totals(self) -> dict[Reason, int]:
        """Refusals by reason."""
        ...

    async def samples(self, site_key: str, reason: Reason) -> list[RefusedUrl]:
        """In the order of their URLs."""
        ...

    async def find(self, site_key: str, url: str) -> list[RefusedUrl]:
        """The samples of one URL: at most one for each reason. None found is no proof of anything."""
        ...
