"""Whole rows of url_state, to show: for `status`, `explain` and `pages`. Reads only."""

from collections.abc import Iterator, Sequence
from typing import Any

from nephila_runtime.database import Database
from nephila_urls import CanonicalUrl, site_key, url_digest

from nephila_storage.sqlite_url_contents import COLUMNS as CONTENT
from nephila_storage.sqlite_url_contents import content_record
from nephila_storage.url_state import Admission, FetchRecord, UrlRow

_ADMISSION = (
    "admission_partition",
    "admission_offset",
    "admission_index",
    "admission_kind",
    "admission_depth",
    "admission_redirect_hops",
    "admission_source",
    "admission_source_url",
    "admission_first_seen_ms",
)
_FETCH = (
    "fetch_sequence",
    "fetch_verdict",
    "fetch_reason",
    "fetch_http_status",
    "fetch_fetched_at_ms",
    "fetch_etag",
    "fetch_last_modified",
)
_SELECT = (
    f"SELECT site_key, digest, url, {', '.join((*_ADMISSION, *_FETCH, *CONTENT))} FROM url_state"
)
_ONE = f"{_SELECT} WHERE site_key = ? AND digest = ?"
_NEXT = f"{_SELECT} WHERE (site_key, digest) > (?, ?) ORDER BY site_key, digest LIMIT ?"
# Short reads, so that a reader never holds back the writer's checkpoints for long.
_CHUNK = 500


class SqliteUrlRows:
    """Reads url_state, also while a crawl writes to it (`Database.open_read_only`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def read_row(self, url: CanonicalUrl) -> UrlRow | None:
        """Everything that is known of a URL; None when it was never let through."""
        row = self._database.row(_ONE, (site_key(url), url_digest(url)))
        return _url_row(row) if row else None

    def pages(self) -> Iterator[UrlRow]:
        """Every row, in the order of the key: the URLs of a site together."""
        last = ("", b"")
        while rows := self._database.rows(_NEXT, [*last, _CHUNK]):
            last = rows[-1][:2]
            yield from map(_url_row, rows)


def _url_row(row: Sequence[Any]) -> UrlRow:
    key, digest, url = row[:3]
    admission = row[3 : 3 + len(_ADMISSION)]
    fetch = row[3 + len(_ADMISSION) : -len(CONTENT)]
    content = row[-len(CONTENT) :]
    return UrlRow(
        _admission(key, digest, url, admission) if admission[1] is not None else None,
        FetchRecord(url, key, digest, *fetch) if fetch[0] is not None else None,
        content_record(key, digest, url, content) if content[0] is not None else None,
    )


def _admission(key: str, digest: bytes, url: CanonicalUrl, columns: Sequence[Any]) -> Admission:
    origin = (columns[0], columns[1], columns[2])
    return Admission(url, key, digest, origin, *columns[3:])
