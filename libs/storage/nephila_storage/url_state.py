"""url_state: what is known of each URL. Every column group has one writing service.

admission_ is url_dedup's, fetch_ recrawl_scheduler's, content_ content_dedup's; each group is a port of
its own here, and one table below. The key is (site key, URL digest).
"""

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from nephila_contracts.v1.page_pb2 import Verdict
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_contracts.v1.url_pb2 import DiscoverySource, UrlKind
from nephila_urls import CanonicalUrl


@dataclass(frozen=True, slots=True)
class Admission:
    """A URL let through: the admission_ columns. `origin` is (partition, offset, index) in url_discovered."""

    url: CanonicalUrl
    site_key: str
    digest: bytes
    origin: tuple[int, int, int]
    kind: UrlKind
    depth: int
    redirect_hops: int
    source: DiscoverySource
    source_url: str
    first_seen_ms: int


@dataclass(frozen=True, slots=True)
class KnownUrl:
    """What url_dedup reads of a row to tell a known URL from a replay."""

    origin: tuple[int, int, int]
    depth: int


class UrlAdmissions(Protocol):
    """The admission_ columns. Written by url_dedup alone."""

    async def known(self, keys: Sequence[tuple[str, bytes]]) -> dict[bytes, KnownUrl]:
        """Rows that exist, by digest. Keys are (site key, digest)."""
        ...

    async def admit(self, admissions: Sequence[Admission]) -> None:
        """Writes new rows; one that exists keeps its other columns and takes the new origin and depth."""
        ...

    def digests(self) -> AsyncIterator[list[bytes]]:
        """Every digest, in chunks: rebuilds the seen set."""
        ...

    async def count(self) -> int: ...


@dataclass(frozen=True, slots=True)
class FetchRecord:
    """The last final attempt: the fetch_ columns. `sequence` is the version: an older one never wins."""

    url: CanonicalUrl
    site_key: str
    digest: bytes
    sequence: int
    verdict: Verdict
    reason: Reason
    http_status: int
    fetched_at_ms: int
    etag: str
    last_modified: str
    keep_validators: bool = False
    """Empty validators leave those of the row: the page that they speak of is still the last one seen."""


class UrlFetches(Protocol):
    """The fetch_ columns. Written by recrawl_scheduler alone."""

    async def record(self, records: Sequence[FetchRecord]) -> None:
        """Writes in the order given; a record older than its row changes nothing."""
        ...


@dataclass(frozen=True, slots=True)
class ContentRecord:
    """What a URL held at its last attempt: the content_ columns.

    `offset` is that of the page_parsed message, so that a replay is told from a copy;
    `verdict`, `previous_hash` and `displaced` let a replay repeat its answer.
    """

    url: CanonicalUrl
    site_key: str
    digest: bytes
    sequence: int
    offset: int
    content_hash: bytes
    previous_hash: bytes
    simhash: int
    verdict: Verdict
    alias_of: str
    """The canonical of an alias; of a URL that redirects, where to."""
    storage_key: str
    text_key: str
    payload_digest: bytes
    """SHA-256 of the payload stored under this URL, for later revisit records; empty when there is none."""
    stored_at_ms: int
    """The WARC-Date of that payload's record, milliseconds since 1970."""
    displaced: str
    """The URL that this attempt took the place of as canonical; empty mostly."""


class UrlContents(Protocol):
    """The content_ columns. Written by content_dedup alone."""

    async def read(self, keys: Sequence[tuple[str, bytes]]) -> dict[bytes, ContentRecord]:
        """Rows that have content_ columns, by digest. Keys are (site key, digest)."""
        ...

    async def write(self, records: Sequence[ContentRecord]) -> None:
        """Writes in the order given; a record older than its row changes nothing, an equal one wins."""
        ...


@dataclass(frozen=True, slots=True)
class UrlRow:
    """A whole row, to show. Groups that were not written yet are None."""

    admission: Admission | None
    fetch: FetchRecord | None
    content: ContentRecord | None
