"""Counts verdicts for the progress view: a small service of its own, exact over DIR's life."""

from collections import Counter
from collections.abc import Sequence

from nephila_contracts import topics
from nephila_contracts.names import reason_name
from nephila_contracts.v1.page_pb2 import (
    VERDICT_ALIAS,
    VERDICT_FAILED,
    VERDICT_GONE,
    VERDICT_LOST,
    VERDICT_REFUSED,
    PageJudged,
    Verdict,
)
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime import Handled, Record, Service, Step
from nephila_storage.sqlite_verdict_counts import SqliteVerdictCounts

# Hosts whose pages are counted one by one, for the busiest few: beyond it the quietest are let go.
_MOST_HOSTS = 10_000
_FAILURES = (VERDICT_FAILED, VERDICT_GONE, VERDICT_LOST, VERDICT_REFUSED)


class Tally:
    """What was judged so far, in memory and on disk."""

    def __init__(self, counts: SqliteVerdictCounts) -> None:
        self._counts = counts
        self._verdicts: Counter[tuple[Verdict, Reason]] = Counter(counts.read())
        self.fetched_by_host: Counter[str] = Counter()
        """Answered pages of this run, by host."""

    async def handle(self, batch: Sequence[Record[PageJudged]]) -> Handled:
        found: Counter[tuple[Verdict, Reason]] = Counter()
        for record in batch:
            judged = record.message
            found[judged.verdict, judged.reason] += 1
            if judged.http_status:
                self.fetched_by_host[judged.attempt.host] += 1
        self._counts.add(found)
        self._verdicts.update(found)
        if len(self.fetched_by_host) > _MOST_HOSTS:
            self.fetched_by_host = Counter(dict(self.fetched_by_host.most_common(_MOST_HOSTS // 2)))
        return Handled()

    @property
    def duplicates(self) -> int:
        return sum(n for (verdict, _), n in self._verdicts.items() if verdict == VERDICT_ALIAS)

    @property
    def judged(self) -> int:
        return self._verdicts.total()

    def failed(self) -> dict[str, int]:
        """By reason code without its prefix: what brought no page."""
        failed: Counter[str] = Counter()
        for (verdict, reason), n in self._verdicts.items():
            if verdict in _FAILURES:
                failed[reason_name(reason)] += n
        return dict(failed.most_common())


def build_tally(tally: Tally) -> Service:
    return Service("tally", (Step("count", topics.PAGE_JUDGED, (), tally.handle),))
