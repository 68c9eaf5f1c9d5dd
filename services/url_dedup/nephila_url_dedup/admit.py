"""Discovered URLs become admitted ones, once each.

`handle` goes over the links twice: first what needs no store (recent verdicts, spelling, rules), then
what is left against the seen set and url_state, in the order of discovery.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from nephila_contracts import topics
from nephila_contracts.v1.reason_pb2 import REASON_KNOWN, Reason
from nephila_contracts.v1.url_pb2 import (
    URL_KIND_SITEMAP,
    DiscoveredLink,
    Origin,
    UrlAdmitted,
    UrlDiscovered,
    UrlHinted,
)
from nephila_runtime import Clock, Emit, Handled, Poison, Record
from nephila_storage.refusals import RefusalLog, RefusedUrl
from nephila_storage.seen_set import SeenSet
from nephila_storage.url_state import Admission, UrlAdmissions
from nephila_urls import CanonicalUrl, url_digest

from nephila_url_dedup.judgement import LASTING, Judgement
from nephila_url_dedup.recent_verdicts import RecentVerdicts

# What a sample shows of a URL that is too long to be one.
_LONGEST_SAMPLE = 2000


class Candidate(NamedTuple):
    """A link that no rule refuses, and that may be new."""

    digest: bytes
    url: CanonicalUrl
    record: Record[UrlDiscovered]
    link_index: int
    link: DiscoveredLink


class Learned(NamedTuple):
    """Digests that are durable once the batch is committed: let through by it, and found in url_state."""

    admitted: list[bytes]
    confirmed: list[bytes]


class Decisions:
    """What one batch comes to, as it grows."""

    def __init__(self) -> None:
        self.rows: list[Admission] = []
        self.admitted: list[Emit[UrlAdmitted]] = []
        self.hinted: list[Emit[UrlHinted]] = []
        self.refused: dict[tuple[str, Reason], int] = {}
        self.samples: list[RefusedUrl] = []
        self.learned = Learned([], [])

    def refuse(self, site_key: str, reason: Reason) -> None:
        key = (site_key, reason)
        self.refused[key] = self.refused.get(key, 0) + 1

    def hint(self, url: CanonicalUrl, message: UrlDiscovered, link: DiscoveredLink) -> None:
        """Passes on what a known URL was met with, if anything."""
        if link.again or link.lastmod_unix_ms:
            hint = UrlHinted(
                url=url,
                site_key=message.site_key,
                source=message.source,
                lastmod_unix_ms=link.lastmod_unix_ms,
                again=link.again,
            )
            self.hinted.append(Emit(topics.URL_HINTED, message.site_key, hint))


class Admit:
    """The step."""

    def __init__(
        self,
        judgement: Judgement,
        admissions: UrlAdmissions,
        seen: SeenSet,
        refusals: RefusalLog,
        recent: RecentVerdicts,
        clock: Clock,
    ) -> None:
        self._judgement = judgement
        self._admissions = admissions
        self._seen = seen
        self._refusals = refusals
        self._recent = recent
        self._clock = clock
        # Admitted but not learned yet, with the message (partition, offset) that did it: another
        # batch in the same transaction must not admit them again, the same batch after a failed
        # transaction must.
        self._pending: dict[bytes, tuple[int, int]] = {}

    def forget(self) -> None:
        """Only the stores are believed from here on."""
        self._pending.clear()
        self._recent.forget()

    async def handle(self, batch: Sequence[Record[UrlDiscovered]]) -> Handled:
        for record in batch:
            if not record.message.site_key:
                raise Poison("no site key", record)
        decisions = Decisions()
        candidates = self._sift(batch, decisions)
        if candidates:
            await self._decide(candidates, decisions)
            await self._admissions.admit(decisions.rows)
        if decisions.refused:
            await self._refusals.add(decisions.refused, decisions.samples)
        emits: list[Emit[Any]] = [*decisions.admitted, *decisions.hinted]
        return Handled(emits, decisions.learned)

    async def after(self, learned: Learned) -> None:
        await self._seen.add(learned.admitted)
        for digest in learned.admitted:
            self._recent.remember(digest, REASON_KNOWN)
            self._pending.pop(digest, None)
        for digest in learned.confirmed:
            self._recent.remember(digest, REASON_KNOWN)

    def _sift(
        self, batch: Sequence[Record[UrlDiscovered]], decisions: Decisions
    ) -> list[Candidate]:
        """The links that neither memory nor rules settle. The hot loop: most links end in its first lines."""
        candidates: list[Candidate] = []
        recall = self._recent.get
        for record in batch:
            message = record.message
            for index, link in enumerate(message.links):
                text = CanonicalUrl(link.url)
                digest = url_digest(text)
                verdict = recall(digest)
                if verdict == REASON_KNOWN:
                    decisions.hint(text, message, link)
                elif verdict is not None and link.kind != URL_KIND_SITEMAP:
                    decisions.refuse(message.site_key, verdict)
                else:
                    judged = self._judgement.judge(link, message.site_key)
                    if isinstance(judged, str):
                        if judged != text:
                            digest = url_digest(judged)
                        candidates.append(Candidate(digest, judged, record, index, link))
                    else:
                        self._refuse(digest, judged, message, link, decisions)
        return candidates

    def _refuse(
        self,
        digest: bytes,
        reason: Reason,
        message: UrlDiscovered,
        link: DiscoveredLink,
        decisions: Decisions,
    ) -> None:
        decisions.refuse(message.site_key, reason)
        url = link.url[:_LONGEST_SAMPLE]
        decisions.samples.append(
            RefusedUrl(message.site_key, reason, url, message.source_url, link.depth)
        )
        if reason in LASTING and link.kind != URL_KIND_SITEMAP:
            # Already now: it hides nothing when the transaction is lost.
            self._recent.remember(digest, reason)

    async def _decide(self, candidates: list[Candidate], decisions: Decisions) -> None:
        """New, a replay of new, or known: by what is pending, the seen set and url_state."""
        met_in = await self._met_in(candidates)
        taken: set[bytes] = set()
        now_ms = self._clock.wall_ms()
        for candidate in candidates:
            digest, url, record, _, link = candidate
            here = (record.partition, record.offset)
            first = met_in.get(digest)
            if digest in taken:
                decisions.hint(url, record.message, link)
            elif first is None or first == here:
                # A row of this very message, too: it was written, and perhaps never told to anybody.
                taken.add(digest)
                self._pending[digest] = here
                decisions.rows.append(_row(candidate, now_ms))
                decisions.admitted.append(
                    Emit(topics.URL_ADMITTED, record.message.site_key, _admitted(candidate))
                )
                decisions.learned.admitted.append(digest)
            else:
                decisions.hint(url, record.message, link)
                decisions.learned.confirmed.append(digest)

    async def _met_in(self, candidates: list[Candidate]) -> dict[bytes, tuple[int, int]]:
        """The message (partition, offset) that let each known digest through."""
        seen = await self._seen.probably_seen([candidate.digest for candidate in candidates])
        doubtful = {
            candidate.digest: (candidate.record.message.site_key, candidate.digest)
            for candidate, probably in zip(candidates, seen, strict=True)
            if probably and candidate.digest not in self._pending
        }
        met_in = {
            candidate.digest: self._pending[candidate.digest]
            for candidate in candidates
            if candidate.digest in self._pending
        }
        if doubtful:
            known = await self._admissions.known(list(doubtful.values()))
            met_in.update((digest, row.origin[:2]) for digest, row in known.items())
        return met_in


def _row(candidate: Candidate, now_ms: int) -> Admission:
    digest, url, record, index, link = candidate
    message = record.message
    return Admission(
        url=url,
        site_key=message.site_key,
        digest=digest,
        origin=(record.partition, record.offset, index),
        kind=link.kind,
        depth=link.depth,
        redirect_hops=link.redirect_hops,
        source=message.source,
        source_url=message.source_url,
        first_seen_ms=now_ms,
    )


def _admitted(candidate: Candidate) -> UrlAdmitted:
    _, url, record, index, link = candidate
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
            index=index,
        ),
    )
