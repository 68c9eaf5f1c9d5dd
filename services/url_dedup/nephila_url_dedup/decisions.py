"""What a batch of discovered links comes to, as it grows: rows, messages, counts."""

from typing import NamedTuple

from nephila_contracts import topics
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_contracts.v1.url_pb2 import (
    DiscoveredLink,
    Origin,
    UrlAdmitted,
    UrlDiscovered,
    UrlHinted,
)
from nephila_runtime import Emit, Record
from nephila_storage.refusals import RefusedUrl
from nephila_storage.url_state import Admission
from nephila_urls import CanonicalUrl

# What a sample shows of a URL that is too long to be one.
_LONGEST_SAMPLE = 2000


class Candidate(NamedTuple):
    """A link that no rule refuses, and that may be new."""

    digest: bytes
    url: CanonicalUrl
    record: Record[UrlDiscovered]
    link_index: int
    link: DiscoveredLink


class Decisions:
    """Everything is in the order of discovery.

    `admitted_digests` and `confirmed_digests` (found in url_state) are certain once the batch is
    committed; `exact_reads` are the rows of url_state that were asked for.
    """

    def __init__(self) -> None:
        self.rows: list[Admission] = []
        self.admitted: list[Emit[UrlAdmitted]] = []
        self.hinted: list[Emit[UrlHinted]] = []
        self.refused: dict[tuple[str, Reason], int] = {}
        self.samples: list[RefusedUrl] = []
        self.admitted_digests: list[bytes] = []
        self.confirmed_digests: list[bytes] = []
        self.links = 0
        self.exact_reads = 0

    def admit(self, candidate: Candidate, now_ms: int) -> None:
        """A new URL: its row, and the frontier's message."""
        site_key = candidate.record.message.site_key
        self.rows.append(_row(candidate, now_ms))
        self.admitted.append(Emit(topics.URL_ADMITTED, site_key, _admitted(candidate)))
        self.admitted_digests.append(candidate.digest)

    def hint(self, url: CanonicalUrl, message: UrlDiscovered, link: DiscoveredLink) -> None:
        """A known URL: passes on what it was met with, if anything."""
        if link.again or link.lastmod_unix_ms:
            hint = UrlHinted(
                url=url,
                site_key=message.site_key,
                source=message.source,
                lastmod_unix_ms=link.lastmod_unix_ms,
                again=link.again,
            )
            self.hinted.append(Emit(topics.URL_HINTED, message.site_key, hint))

    def refuse(self, site_key: str, reason: Reason) -> None:
        """Counts a refusal."""
        key = (site_key, reason)
        self.refused[key] = self.refused.get(key, 0) + 1

    def sample(self, reason: Reason, message: UrlDiscovered, link: DiscoveredLink) -> None:
        """Offers a refused URL as a sample."""
        url = link.url[:_LONGEST_SAMPLE]
        self.samples.append(
            RefusedUrl(message.site_key, reason, url, message.source_url, link.depth)
        )


def _row(candidate: Candidate, now_ms: int) -> Admission:
    digest, url, record, link_index, link = candidate
    message = record.message
    return Admission(
        url=url,
        site_key=message.site_key,
        digest=digest,
        origin=(record.partition, record.offset, link_index),
        kind=link.kind,
        depth=link.depth,
        redirect_hops=link.redirect_hops,
        source=message.source,
        source_url=message.source_url,
        first_seen_ms=now_ms,
    )


def _admitted(candidate: Candidate) -> UrlAdmitted:
    _, url, record, link_index, link = candidate
    message = record.message
    return UrlAdmitted(
        url=url,
        site_key=message.site_key,
        kind=link.kind,
        depth=link.depth,
        redirect_hops=link.redirect_hops,
        source=message.source,
        source_url=message.source_url,
        lastmod_unix_ms=link.lastmod_unix_ms,
        priority=link.priority,
        origin=Origin(
            topic=topics.URL_DISCOVERED.name,
            partition=record.partition,
            offset=record.offset,
            index=link_index,
        ),
    )
