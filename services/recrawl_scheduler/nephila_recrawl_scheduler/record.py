"""Step: the verdict of each final attempt into url_state."""

from collections.abc import Sequence

from nephila_contracts.v1 import page_pb2
from nephila_contracts.v1.page_pb2 import PageJudged
from nephila_runtime import Handled, Poison, Record
from nephila_storage.url_state import FetchRecord, UrlFetches
from nephila_telemetry import Recorder
from nephila_telemetry.metrics import VERDICTS_RECORDED
from nephila_urls import CanonicalUrl, url_digest

_HTTP_NOT_MODIFIED = 304
# The page that the row's validators speak of is still the last one that was seen.
_PAGE_STANDS = (
    page_pb2.VERDICT_UNCHANGED,
    page_pb2.VERDICT_REFUSED,
    page_pb2.VERDICT_FAILED,
    page_pb2.VERDICT_LOST,
)


class RecordVerdicts:
    """page_judged to the fetch_ columns."""

    def __init__(self, fetches: UrlFetches, metrics: Recorder) -> None:
        self._fetches = fetches
        self._metrics = metrics

    async def handle(self, batch: Sequence[Record[PageJudged]]) -> Handled:
        await self._fetches.record([fetch_record(record) for record in batch])
        return Handled(learned=len(batch))

    async def after(self, recorded: int) -> None:
        self._metrics.add(VERDICTS_RECORDED, recorded)


def fetch_record(record: Record[PageJudged]) -> FetchRecord:
    """What a verdict leaves in url_state. Raises Poison when it names no URL."""
    judged = record.message
    attempt = judged.attempt
    if not (attempt.url and attempt.site_key):
        raise Poison("no URL or no site key", record)
    url = CanonicalUrl(attempt.url)
    return FetchRecord(
        url,
        attempt.site_key,
        url_digest(url),
        attempt.sequence,
        judged.verdict,
        judged.reason,
        judged.http_status,
        judged.fetched_at_unix_ms,
        judged.etag,
        judged.last_modified,
        keeps_validators(judged),
    )


def keeps_validators(judged: PageJudged) -> bool:
    """Whether the row's validators outlive an answer that brought none.

    Not after a 304 that failed: it was given to somebody who holds nothing, and would be given again.
    """
    if judged.verdict == page_pb2.VERDICT_FAILED and judged.http_status == _HTTP_NOT_MODIFIED:
        return False
    return judged.verdict in _PAGE_STANDS
