"""The last verdict of each URL is remembered, and its validators as long as they hold."""

import asyncio
from collections.abc import Iterator, Sequence

import pytest
from nephila_contracts import topics
from nephila_contracts.v1 import page_pb2, reason_pb2
from nephila_contracts.v1.fetch_pb2 import Attempt
from nephila_contracts.v1.page_pb2 import PageJudged, Verdict
from nephila_recrawl_scheduler import RecrawlSchedulerSettings, build_recrawl_scheduler
from nephila_recrawl_scheduler.record import keeps_validators
from nephila_runtime import Poison, Record
from nephila_runtime.database import Database
from nephila_storage.sqlite_url_fetches import SqliteUrlFetches
from nephila_storage.sqlite_url_rows import SqliteUrlRows
from nephila_storage.url_state import FetchRecord
from nephila_telemetry.prometheus_recorder import PrometheusRecorder
from nephila_urls import CanonicalUrl

URL = "https://a.example/page"


@pytest.fixture
def database() -> Iterator[Database]:
    database = Database.in_memory()
    yield database
    database.close()


def judged(verdict: Verdict, sequence: int, status: int = 200, etag: str = "") -> PageJudged:
    return PageJudged(
        attempt=Attempt(url=URL, site_key="a.example", sequence=sequence),
        verdict=verdict,
        reason=reason_pb2.REASON_FETCHED,
        http_status=status,
        etag=etag,
        fetched_at_unix_ms=1000 + sequence,
    )


def recorded(database: Database, messages: Sequence[PageJudged]) -> FetchRecord:
    metrics = PrometheusRecorder()
    service = build_recrawl_scheduler(
        RecrawlSchedulerSettings(), SqliteUrlFetches(database), metrics
    )
    step = service.steps[0]
    assert step.consumes is topics.PAGE_JUDGED
    batch = [Record(0, offset, "a.example", message) for offset, message in enumerate(messages)]

    async def run() -> None:
        handled = await step.handle(batch)
        assert handled.emits == ()
        await step.after(handled.learned)

    asyncio.run(run())
    assert f"verdicts_total {float(len(batch))}" in metrics.exposition().decode()
    row = SqliteUrlRows(database).read_row(CanonicalUrl(URL))
    assert row is not None
    assert row.fetch is not None
    return row.fetch


def test_the_latest_attempt_stands(database: Database) -> None:
    late = judged(page_pb2.VERDICT_CHANGED, 9, etag='"9"')
    fetch = recorded(database, [late, judged(page_pb2.VERDICT_NEW, 3, etag='"3"')])
    assert (fetch.sequence, fetch.verdict, fetch.etag) == (9, page_pb2.VERDICT_CHANGED, '"9"')
    assert fetch.fetched_at_ms == 1009


@pytest.mark.parametrize(
    ("verdict", "status", "etag"),
    [
        (page_pb2.VERDICT_UNCHANGED, 304, '"1"'),
        (page_pb2.VERDICT_FAILED, 500, '"1"'),
        (page_pb2.VERDICT_REFUSED, 0, '"1"'),
        (page_pb2.VERDICT_LOST, 0, '"1"'),
        (page_pb2.VERDICT_FAILED, 304, ""),
        (page_pb2.VERDICT_GONE, 404, ""),
        (page_pb2.VERDICT_REDIRECTED, 301, ""),
        (page_pb2.VERDICT_CHANGED, 200, ""),
    ],
)
def test_validators_live_as_long_as_the_page_they_speak_of(
    database: Database, verdict: Verdict, status: int, etag: str
) -> None:
    seen = judged(page_pb2.VERDICT_NEW, 1, etag='"1"')
    assert recorded(database, [seen, judged(verdict, 2, status)]).etag == etag


@pytest.mark.parametrize("verdict", Verdict.values())
def test_new_validators_always_replace_the_old(database: Database, verdict: Verdict) -> None:
    seen = judged(page_pb2.VERDICT_NEW, 1, etag='"1"')
    assert recorded(database, [seen, judged(verdict, 2, 200, '"2"')]).etag == '"2"'


def test_a_304_that_failed_is_not_asked_for_again() -> None:
    assert not keeps_validators(judged(page_pb2.VERDICT_FAILED, 1, 304))


def test_a_verdict_without_a_url_is_poison(database: Database) -> None:
    with pytest.raises(Poison):
        recorded(database, [PageJudged()])
