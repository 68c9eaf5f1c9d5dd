"""The fetch_ columns of url_state on SQLite."""

from collections.abc import Sequence

from nephila_runtime.database import Database

from nephila_storage.sqlite_url_state import URL_STATE
from nephila_storage.url_state import FetchRecord

_RECORD = """
INSERT INTO url_state (
  site_key, digest, url,
  fetch_sequence, fetch_verdict, fetch_reason, fetch_http_status, fetch_fetched_at_ms,
  fetch_etag, fetch_last_modified
) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
ON CONFLICT (site_key, digest) DO UPDATE SET
  fetch_sequence = excluded.fetch_sequence,
  fetch_verdict = excluded.fetch_verdict,
  fetch_reason = excluded.fetch_reason,
  fetch_http_status = excluded.fetch_http_status,
  fetch_fetched_at_ms = excluded.fetch_fetched_at_ms,
  fetch_etag = iif(?11 AND excluded.fetch_etag = '', fetch_etag, excluded.fetch_etag),
  fetch_last_modified =
    iif(?11 AND excluded.fetch_last_modified = '', fetch_last_modified, excluded.fetch_last_modified)
WHERE fetch_sequence IS NULL OR excluded.fetch_sequence >= fetch_sequence
"""


class SqliteUrlFetches:
    """UrlFetches. Writes ride in the transaction that the host has open."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.define([URL_STATE])

    async def record(self, records: Sequence[FetchRecord]) -> None:
        self._database.executemany(_RECORD, [_parameters(record) for record in records])


def _parameters(record: FetchRecord) -> tuple[object, ...]:
    return (
        record.site_key,
        record.digest,
        record.url,
        record.sequence,
        record.verdict,
        record.reason,
        record.http_status,
        record.fetched_at_ms,
        record.etag,
        record.last_modified,
        record.keep_validators,
    )
