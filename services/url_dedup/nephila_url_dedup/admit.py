"""Discovered URLs become admitted ones, once each.

`handle` goes over the links twice: first what needs no store (recent verdicts, spelling, rules), then
what is left against the seen set and url_state, in the order of discovery.
"""

from collections.abc import Sequence
from typing import Any

from nephila_contracts.names import reason_name
from nephila_contracts.v1.reason_pb2 import REASON_ADMITTED, REASON_KNOWN, Reason
from nephila_contracts.v1.url_pb2 import URL_KIND_SITEMAP, DiscoveredLink, UrlDiscovered
from nephila_runtime import Clock, Emit, Handled, Poison, Record
from nephila_storage.refusals import RefusalLog
from nephila_storage.seen_set import SeenSet
from nephila_storage.url_state import UrlAdmissions
from nephila_telemetry import Recorder
from nephila_telemetry import metrics as catalogue
from nephila_urls import CanonicalUrl, url_digest

from nephila_url_dedup.decisions import Candidate, Decisions
from nephila_url_dedup.judgement import LASTING, Judgement
from nephila_url_dedup.recent_verdicts import RecentVerdicts


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
        metrics: Recorder,
    ) -> None:
        self._judgement = judgement
        self._admissions = admissions
        self._seen = seen
        self._refusals = refusals
        self._recent = recent
        self._clock = clock
        self._metrics = metrics
        # Admitted but not learned yet, with the message (partition, offset) that did it: another
        # batch in the same transaction must not admit them again, the same batch after a failed
        # transaction must.
        self._pending: dict[bytes, tuple[int, int]] = {}

    def forget(self) -> None:
        """Only the stores are believed from here on."""
        self._pending.clear()
        self._recent.forget()

    async def handle(self, batch: Sequence[Record[UrlDiscovered]]) -> Handled:
        """Raises Poison before anything is changed."""
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
        return Handled(emits, decisions)

    async def after(self, decisions: Decisions) -> None:
        await self._seen.add(decisions.admitted_digests)
        for digest in decisions.admitted_digests:
            self._recent.remember(digest, REASON_KNOWN)
            self._pending.pop(digest, None)
        for digest in decisions.confirmed_digests:
            self._recent.remember(digest, REASON_KNOWN)
        self._count(decisions)

    def _sift(
        self, batch: Sequence[Record[UrlDiscovered]], decisions: Decisions
    ) -> list[Candidate]:
        """The links that neither memory nor rules settle. The hot loop: most links end in its first lines."""
        candidates: list[Candidate] = []
        recall = self._recent.get
        for record in batch:
            message = record.message
            decisions.links += len(message.links)
            for link_index, link in enumerate(message.links):
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
                        candidates.append(Candidate(digest, judged, record, link_index, link))
                    else:
                        decisions.refuse(message.site_key, judged)
                        decisions.sample(judged, message, link)
                        self._remember_refusal(digest, judged, link)
        return candidates

    def _remember_refusal(self, digest: bytes, reason: Reason, link: DiscoveredLink) -> None:
        # Already in `handle`: it hides nothing when the transaction is lost.
        if reason in LASTING and link.kind != URL_KIND_SITEMAP:
            self._recent.remember(digest, reason)

    async def _decide(self, candidates: list[Candidate], decisions: Decisions) -> None:
        """New, a replay of new, or known: by what is pending, the seen set and url_state."""
        met_in = await self._met_in(candidates, decisions)
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
                decisions.admit(candidate, now_ms)
            else:
                decisions.hint(url, record.message, link)
                decisions.confirmed_digests.append(digest)

    async def _met_in(
        self, candidates: list[Candidate], decisions: Decisions
    ) -> dict[bytes, tuple[int, int]]:
        """The message (partition, offset) that let each known digest through."""
        seen = await self._seen.probably_seen([candidate.digest for candidate in candidates])
        met_in: dict[bytes, tuple[int, int]] = {}
        doubtful: dict[bytes, tuple[str, bytes]] = {}
        for candidate, probably in zip(candidates, seen, strict=True):
            digest = candidate.digest
            pending = self._pending.get(digest)
            if pending is not None:
                met_in[digest] = pending
            elif probably:
                doubtful[digest] = (candidate.record.message.site_key, digest)
        if doubtful:
            decisions.exact_reads = len(doubtful)
            known = await self._admissions.known(list(doubtful.values()))
            met_in.update((digest, row.origin[:2]) for digest, row in known.items())
        return met_in

    def _count(self, decisions: Decisions) -> None:
        admitted, refused = len(decisions.rows), sum(decisions.refused.values())
        by_reason = {REASON_ADMITTED: admitted, REASON_KNOWN: decisions.links - admitted - refused}
        for (_, reason), count in decisions.refused.items():
            by_reason[reason] = by_reason.get(reason, 0) + count
        for reason, count in by_reason.items():
            self._metrics.add(catalogue.LINKS_DECIDED, count, reason_name(reason))
        self._metrics.add(catalogue.LINKS_DISCOVERED, decisions.links)
        self._metrics.add(catalogue.EXACT_READS, decisions.exact_reads)
