"""The archive of pages: what was fetched, as WARC records under a storage key."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from nephila_contracts.v1.page_pb2 import Exchange
from nephila_urls import CanonicalUrl


class RevisitProfile(StrEnum):
    """Why a revisit record carries no payload (WARC 1.1, 6.7)."""

    IDENTICAL_PAYLOAD = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    NOT_MODIFIED = "http://netpreserve.org/warc/1.1/revisit/server-not-modified"


@dataclass(frozen=True, slots=True)
class Payload:
    """An entity body as it is to be stored. `digest` is the SHA-256 of `data`.

    `packed` says that deflating it again gains nothing; `decoded` that a content coding which the
    response head still names was taken off.
    """

    data: bytes
    digest: bytes
    packed: bool
    decoded: bool


@dataclass(frozen=True, slots=True)
class Original:
    """The capture whose payload a revisit record refers to."""

    url: CanonicalUrl
    fetched_at_ms: int
    payload_digest: bytes


@dataclass(frozen=True, slots=True)
class Response:
    """Store head and payload."""

    payload: Payload


@dataclass(frozen=True, slots=True)
class Revisit:
    """Store the head alone, and where the payload lies."""

    original: Original
    profile: RevisitProfile


@dataclass(frozen=True, slots=True)
class Note:
    """Store neither head nor payload, but fields that say what was seen."""

    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Capture:
    """One attempt to archive. `attempt_id` and the time of fetching make its record ids.

    `note` rides along as a record of its own; `text` (UTF-8) is stored as a conversion record.
    """

    url: CanonicalUrl
    attempt_id: str
    exchange: Exchange
    mime_type: str
    content: Response | Revisit | Note
    note: Note | None = None
    text: bytes = b""


@dataclass(frozen=True, slots=True)
class Stored:
    """Keys of a capture's own record and of its text (empty without one): "object:offset:length"."""

    storage_key: str
    text_key: str


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A record read back. `http_head` is empty when it holds no HTTP message."""

    fields: dict[str, str]
    http_head: bytes
    payload: bytes


class NothingStored(Exception):
    """No record lies under the storage key."""


class PageStore(Protocol):
    """Filled by content_dedup alone; emptied by `nephila sweep` alone.

    What was stored becomes visible with the transaction that speaks of it.
    """

    async def store(self, capture: Capture) -> Stored: ...

    async def read(self, storage_key: str) -> StoredRecord:
        """Raises NothingStored."""
        ...
