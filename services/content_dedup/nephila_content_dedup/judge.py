"""Judges final attempts: archives what is to be kept, remembers it, and tells what changed."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nephila_contracts.names import verdict_name
from nephila_contracts.v1 import page_pb2
from nephila_contracts.v1.page_pb2 import PageParsed
from nephila_runtime import Clock, Emit, Handled, Record
from nephila_storage.fingerprints import Fingerprints, PageFingerprint
from nephila_storage.page_store import PageStore
from nephila_storage.url_state import ContentRecord, UrlContents
from nephila_telemetry import Recorder
from nephila_telemetry import metrics as catalogue
from nephila_urls import CanonicalUrl

from nephila_content_dedup.archive import Archive
from nephila_content_dedup.attempts import EMPTY_HASH, FinalAttempt, final_attempt
from nephila_content_dedup.events import Events, bare_verdict, poisoned
from nephila_content_dedup.known_content import KnownContent
from nephila_content_dedup.rows import row_after
from nephila_content_dedup.verdict import NO_TWINS, Judgement, judge_other, judge_page


@dataclass(slots=True)
class JudgedCounts:
    """What a batch came to, for the metrics."""

    verdicts: Counter[str] = field(default_factory=Counter[str])
    likenesses: Counter[str] = field(default_factory=Counter[str])
    stored_bytes: int = 0


@dataclass(slots=True)
class _Batch:
    """What a batch leaves to be written and said."""

    known: KnownContent
    emits: list[Emit[Any]] = field(default_factory=list[Emit[Any]])
    rows: list[ContentRecord] = field(default_factory=list[ContentRecord])
    held: list[PageFingerprint] = field(default_factory=list[PageFingerprint])
    released: list[PageFingerprint] = field(default_factory=list[PageFingerprint])
    counts: JudgedCounts = field(default_factory=JudgedCounts)


class Judge:
    """The one step of content_dedup. Whole batches: duplicates within a batch must see each other."""

    def __init__(
        self,
        pages: PageStore,
        fingerprints: Fingerprints,
        contents: UrlContents,
        archive: Archive,
        events: Events,
        clock: Clock,
        metrics: Recorder,
    ) -> None:
        self._pages = pages
        self._fingerprints = fingerprints
        self._contents = contents
        self._archive = archive
        self._events = events
        self._clock = clock
        self._metrics = metrics

    async def handle(self, batch: Sequence[Record[PageParsed]]) -> Handled:
        """Raises Poison before anything is changed."""
        attempts = [final_attempt(record) for record in batch]
        made = _Batch(await self._read(attempts))
        for attempt in attempts:
            await self._judge(attempt, made)
        await self._contents.write(made.rows)
        await self._fingerprints.release(made.released)
        await self._fingerprints.hold(made.held)
        return Handled(made.emits, made.counts)

    async def after(self, counts: JudgedCounts) -> None:
        for verdict, count in counts.verdicts.items():
            self._metrics.add(catalogue.PAGES_JUDGED, count, verdict)
        for likeness, count in counts.likenesses.items():
            self._metrics.add(catalogue.DUPLICATES, count, likeness)
        self._metrics.add(catalogue.STORED_BYTES, counts.stored_bytes)

    def on_dead(self, record: Record[PageParsed], _cause: str) -> Sequence[Emit[Any]]:
        """A poisoned message has its verdict all the same, unless it does not say of what."""
        if not record.message.attempt.url:
            return ()
        return [poisoned(record.message, self._clock.wall_ms())]

    async def _read(self, attempts: Sequence[FinalAttempt]) -> KnownContent:
        known = KnownContent(self._contents, self._fingerprints)
        await known.read_rows([(attempt.site_key, attempt.digest) for attempt in attempts])
        wanted = [
            attempt.content
            for attempt in attempts
            if attempt.content and attempt.content.content_hash != EMPTY_HASH
        ]
        await known.read_twins(wanted)
        replayed = [
            CanonicalUrl(row.displaced)
            for attempt in attempts
            if (row := known.row(attempt.digest)) and row.displaced
        ]
        await known.read_urls(replayed)
        return known

    async def _judge(self, attempt: FinalAttempt, made: _Batch) -> None:
        previous = made.known.row(attempt.digest)
        sequence = attempt.page.attempt.sequence
        if previous and sequence <= previous.sequence:
            self._judge_again(attempt, previous, made)
            return
        judgement = _judgement(attempt, previous, made.known)
        capture = self._archive.capture_of(attempt, judgement, previous)
        stored = await self._pages.store(capture) if capture else None
        row = row_after(attempt, judgement, previous, capture, stored)
        displaced = judgement.displaced and replace(judgement.displaced, alias_of=row.url)
        _remember(row, displaced, previous, judgement, made)
        if stored:
            made.counts.stored_bytes += int(stored.storage_key.rpartition(":")[2])
        self._say(attempt.page, row, displaced, made)

    def _judge_again(self, attempt: FinalAttempt, row: ContentRecord, made: _Batch) -> None:
        page = attempt.page
        if page.attempt.sequence < row.sequence:
            # Overtaken by a later attempt: what is known stands.
            made.counts.verdicts["overtaken"] += 1
            made.emits.append(
                bare_verdict(page, page_pb2.VERDICT_UNCHANGED, page.reason, self._clock.wall_ms())
            )
        elif attempt.offset == row.offset:
            displaced = made.known.row_of(row.displaced) if row.displaced else None
            self._say(page, row, displaced, made)
        # The same attempt at another offset is a copy: it was judged where it stood first.

    def _say(
        self, page: PageParsed, row: ContentRecord, displaced: ContentRecord | None, made: _Batch
    ) -> None:
        made.emits += self._events.of(page, row, displaced, self._clock.wall_ms())
        made.counts.verdicts[verdict_name(row.verdict)] += 1


def _judgement(
    attempt: FinalAttempt, previous: ContentRecord | None, known: KnownContent
) -> Judgement:
    content = attempt.content
    if content is None:
        return judge_other(attempt.answer, previous)
    # An empty page is nobody's duplicate.
    twins = NO_TWINS if content.content_hash == EMPTY_HASH else known.twins(content)
    return judge_page(content, previous, twins)


def _remember(
    row: ContentRecord,
    displaced: ContentRecord | None,
    previous: ContentRecord | None,
    judgement: Judgement,
    made: _Batch,
) -> None:
    if judgement.twin or judgement.displaced:
        made.counts.likenesses["near" if judgement.near else "exact"] += 1
    for changed in (row, displaced):
        if changed:
            made.rows.append(changed)
            made.known.learn(changed)
    stood = _fingerprint(previous) if previous else None
    stands = _fingerprint(row)
    if stood and stood != stands:
        made.released.append(stood)
    if displaced:
        made.released.append(
            PageFingerprint(displaced.url, displaced.content_hash, displaced.simhash)
        )
    if stands and stood != stands:
        made.held.append(stands)


def _fingerprint(row: ContentRecord) -> PageFingerprint | None:
    """What the page is known by, when it stands for itself and is not empty."""
    if row.alias_of or row.content_hash in (b"", EMPTY_HASH):
        return None
    return PageFingerprint(row.url, row.content_hash, row.simhash)
