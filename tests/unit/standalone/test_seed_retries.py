import asyncio

import pytest
from nephila_contracts.v1 import page_pb2 as p
from nephila_contracts.v1 import reason_pb2 as r
from nephila_runtime.database import Database
from nephila_standalone.seed_retries import retry_emits
from nephila_storage.sqlite_url_fetches import SqliteUrlFetches
from nephila_storage.sqlite_url_state import SqliteUrlAdmissions
from nephila_storage.url_state import FetchRecord
from nephila_urls import canonicalise, site_key, url_digest

SEEDS = ("https://a.org/", "https://b.org/", "https://new.org/")


def database_with(verdict: p.Verdict, reason: r.Reason) -> Database:
    database = Database.in_memory()
    SqliteUrlAdmissions(database)
    url = canonicalise(SEEDS[1])
    failed = FetchRecord(url, site_key(url), url_digest(url), 1, verdict, reason, 0, 5, "", "")
    asyncio.run(SqliteUrlFetches(database).record([failed]))
    return database


@pytest.mark.parametrize(
    "reason", [r.REASON_NO_SUCH_HOST, r.REASON_CONNECTION_REFUSED, r.REASON_ADDRESS_FORBIDDEN]
)
def test_a_seed_that_failed_for_what_can_be_mended_is_tried_again(reason: r.Reason) -> None:
    database = database_with(p.VERDICT_FAILED, reason)
    (emit,) = retry_emits(database, SEEDS)
    database.close()
    assert emit.topic.name == "url_due"
    assert emit.key == emit.message.site_key == "b.org"
    assert emit.message.url == SEEDS[1]


@pytest.mark.parametrize(
    ("verdict", "reason"),
    [
        (p.VERDICT_NEW, r.REASON_FETCHED),
        (p.VERDICT_GONE, r.REASON_GONE),
        (p.VERDICT_REFUSED, r.REASON_ROBOTS_DISALLOWED),
        (p.VERDICT_REDIRECTED, r.REASON_REDIRECTED),
    ],
)
def test_a_seed_that_was_answered_is_not_asked_again(verdict: p.Verdict, reason: r.Reason) -> None:
    database = database_with(verdict, reason)
    assert retry_emits(database, SEEDS) == []
    database.close()
