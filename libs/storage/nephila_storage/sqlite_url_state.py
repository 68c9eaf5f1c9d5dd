"""url_state on SQLite: the one table, and its admission_ columns.

A row may be made by any of its three writers, so a group that is not written yet is NULL, and every
writer upserts its own columns. The key clusters the rows of a site.
"""

from collections.abc import AsyncIterator, Iterator, Sequence

from nephila_runtime.database import Database

from nephila_storage.url_state import Admission, KnownUrl

URL_STATE = """
CREATE TABLE IF NOT EXISTS url_state (
  site_key TEXT NOT NULL,
  digest BLOB NOT NULL,
  url TEXT NOT NULL,
  admission_partition INTEGER,
  admission_offset INTEGER,
  admission_index INTEGER,
  admission_kind INTEGER,
  admission_depth INTEGER,
  admission_redirect_hops INTEGER,
  admission_source INTEGER,
  admission_source_url TEXT,
  admission_first_seen_ms INTEGER,
  fetch_sequence INTEGER,
  fetch_verdict INTEGER,
  fetch_reason INTEGER,
  fetch_http_status INTEGER,
  fetch_fetched_at_ms INTEGER,
  fetch_etag TEXT,
  fetch_last_modified TEXT,
  content_sequence INTEGER,
  content_offset INTEGER,
  content_hash BLOB,
  content_previous_hash BLOB,
  content_simhash INTEGER,
  content_verdict INTEGER,
  content_alias_of TEXT,
  content_storage_key TEXT,
  content_text_key TEXT,
  content_payload_digest BLOB,
  content_stored_at_ms INTEGER,
  content_displaced TEXT,
  PRIMARY KEY (site_key, digest)
) WITHOUT ROWID
"""

_ADMIT = """
INSERT INTO url_state (
  site_key, digest, url,
  admission_partition, admission_offset, admission_index, admission_kind, admission_depth,
  admission_redirect_hops, admission_source, admission_source_url, admission_first_seen_ms
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (site_key, digest) DO UPDATE SET
  admission_partition = excluded.admission_partition,
  admission_offset = excluded.admission_offset,
  admission_index = excluded.admission_index,
  admission_kind = excluded.admission_kind,
  admission_depth = excluded.admission_depth,
  admission_redirect_hops = excluded.admission_redirect_hops,
  admission_source = excluded.admission_source,
  admission_source_url = excluded.admission_source_url,
  admission_first_seen_ms = coalesce(url_state.admission_first_seen_ms, excluded.admission_first_seen_ms)
"""

_KNOWN = """
SELECT digest, admission_partition, admission_offset, admission_index, admission_depth
FROM url_state
WHERE site_key = ? AND digest IN ({places}) AND admission_offset IS NOT NULL
"""

# Statement sizes, so that few distinct ones are prepared; a short group repeats its last digest.
_GROUP_SIZES = (1, 8, 64)

_DIGESTS = """
SELECT site_key, digest, admission_offset IS NOT NULL FROM url_state
WHERE (site_key, digest) > (?, ?)
ORDER BY site_key, digest
LIMIT ?
"""
_CHUNK = 10_000


class SqliteUrlAdmissions:
    """The admission_ columns of url_state. Writes ride in the transaction that the host has open."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.define([URL_STATE])

    async def known(self, keys: Sequence[tuple[str, bytes]]) -> dict[bytes, KnownUrl]:
        by_site: dict[str, list[bytes]] = {}
        for site_key, digest in keys:
            by_site.setdefault(site_key, []).append(digest)
        found: dict[bytes, KnownUrl] = {}
        for site_key, digests in by_site.items():
            for sql, group in _groups(digests):
                for digest, partition, offset, index, depth in self._database.rows(
                    sql, [site_key, *group]
                ):
                    found[digest] = KnownUrl((partition, offset, index), depth)
        return found

    async def admit(self, admissions: Sequence[Admission]) -> None:
        self._database.executemany(
            _ADMIT,
            [
                (
                    admission.site_key,
                    admission.digest,
                    admission.url,
                    *admission.origin,
                    admission.kind,
                    admission.depth,
                    admission.redirect_hops,
                    admission.source,
                    admission.source_url,
                    admission.first_seen_ms,
                )
                for admission in admissions
            ],
        )

    async def digests(self) -> AsyncIterator[list[bytes]]:
        """In the order of the key. A row that is written meanwhile may be met or not."""
        last = ("", b"")
        while rows := self._database.rows(_DIGESTS, [*last, _CHUNK]):
            last = rows[-1][:2]
            yield [digest for _, digest, admitted in rows if admitted]

    async def count(self) -> int:
        (count,) = self._database.rows("SELECT count(admission_offset) FROM url_state")[0]
        return count


def _groups(digests: list[bytes]) -> Iterator[tuple[str, list[bytes]]]:
    start = 0
    while start < len(digests):
        left = len(digests) - start
        size = next((size for size in _GROUP_SIZES if size >= left), _GROUP_SIZES[-1])
        group = digests[start : start + size]
        group += group[-1:] * (size - len(group))
        yield _KNOWN_BY_SIZE[size], group
        start += size


_KNOWN_BY_SIZE = {size: _KNOWN.format(places=", ".join("?" * size)) for size in _GROUP_SIZES}
