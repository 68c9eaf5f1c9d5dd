"""content_dedup over stores that outlive its runs."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from nephila_content_dedup import ContentDedupSettings, build_content_dedup
from nephila_contracts.v1.page_pb2 import PageFetched, PageJudged, PageParsed
from nephila_runtime import Handled, Record, SystemClock
from nephila_runtime.database import Database
from nephila_storage.sqlite_fingerprints import SqliteFingerprints
from nephila_storage.sqlite_url_contents import SqliteUrlContents
from nephila_storage.sqlite_url_rows import SqliteUrlRows
from nephila_storage.url_state import ContentRecord
from nephila_telemetry import NO_METRICS, Recorder
from nephila_urls import CanonicalUrl
from parsed_pages import fetched, judged, records, warc_store


class Judging:
    """The service as a host would run it, in a folder. Sequences and offsets count by themselves."""

    def __init__(
        self,
        folder: Path,
        settings: ContentDedupSettings | None = None,
        metrics: Recorder = NO_METRICS,
    ) -> None:
        self.folder = folder
        self.database = Database.in_memory()
        self._settings = settings or ContentDedupSettings()
        self._metrics = metrics
        self._next_offset = 0
        self.open()

    def open(self) -> None:
        """Builds the service anew from what was committed."""
        self.store = warc_store(self.folder, self.database)
        self.service = build_content_dedup(
            self._settings,
            self.store,
            SqliteFingerprints(self.database),
            SqliteUrlContents(self.database),
            SystemClock(),
            self._metrics,
        )
        (self.step,) = self.service.steps

    def handle(self, batch: Sequence[Record[PageParsed]], *, crash: bool = False) -> Handled:
        """One turn of the host; with `crash` it dies once the files are durable, before the commit."""

        async def turn() -> Handled:
            self.database.execute("BEGIN")
            handled = await self.step.handle(batch)
            await self.store.prepare()
            self.database.execute("ROLLBACK" if crash else "COMMIT")
            if not crash:
                await self.step.after(handled.learned)
            return handled

        handled = asyncio.run(turn())
        if crash:
            self.store.close()
            self.open()
        return handled

    def judge(self, *messages: PageParsed) -> tuple[list[PageJudged], list[PageFetched]]:
        """Judges one batch; gives what was told."""
        handled = self.handle(self.take(*messages))
        return judged(handled), fetched(handled)

    def take(self, *messages: PageParsed) -> list[Record[PageParsed]]:
        """The messages as records at the next offsets."""
        batch = records(messages, self._next_offset)
        self._next_offset += len(batch)
        return batch

    def row(self, url: str) -> ContentRecord | None:
        row = SqliteUrlRows(self.database).read_row(CanonicalUrl(url))
        return row.content if row else None

    def rows(self) -> list[ContentRecord]:
        rows = SqliteUrlRows(self.database).pages()
        return [row.content for row in rows if row.content]

    @property
    def warc(self) -> Path:
        return self.folder / "warc" / "nephila-00000.warc.gz"

    def close(self) -> None:
        self.store.close()
        self.database.close()
