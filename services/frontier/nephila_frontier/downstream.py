"""What the frontier asks of the pipeline behind it, and of the operator: two ports."""

from typing import Protocol

from nephila_contracts.v1.reason_pb2 import Reason


class Downstream(Protocol):
    """How far the services behind the frontier have come. Cheap: asked at every dispatch."""

    def lag(self) -> int:
        """Messages that wait in fetch_requested, page_downloaded and page_parsed."""
        ...

    def disk_low(self) -> bool:
        """There is too little room left to store pages."""
        ...

    def requested_through(self, partition: int) -> int:
        """Offset that the next message of fetch_requested will get."""
        ...

    def fetched_through(self, partition: int) -> int:
        """Offset below which the fetcher has finished and committed every message of fetch_requested."""
        ...


class Overrides(Protocol):
    """The operator's words about hosts and sites, from crawl_control."""

    def held(self, host: str, site_key: str) -> Reason | None:
        """REASON_BLOCKLISTED or REASON_PAUSED while nothing of it may be fetched, else None."""
        ...

    def delay(self, host: str, site_key: str) -> float | None:
        """The host's own crawl delay in seconds, in place of the default; None is the default."""
        ...


class NoOverrides:
    """Nobody said anything."""

    def held(self, host: str, site_key: str) -> Reason | None:
        return None

    def delay(self, host: str, site_key: str) -> float | None:
        return None
