"""Fingerprints on SQLite: about 160 bytes a page, good to 10 million pages.

Beyond 10 million pages a bucket of the near index holds more than is looked at: more tables with fewer
bits each are due then.
"""

from collections.abc import Iterator, Sequence

from nephila_runtime.database import Database
from nephila_urls import CanonicalUrl

from nephila_storage.fingerprints import PageFingerprint
from nephila_storage.simhash_blocks import distance
from nephila_storage.sqlite_near_index import BIAS, SqliteNearIndex

# Candidates looked at in each of the buckets, half on each side of the simhash. Pages of one template
# crowd in a few buckets: without a bound, a page of a long crawl would be compared with thousands. In
# 65,000 such pages this finds 95 of 100 pages 3 bits apart in 73 microseconds, 128 find 97 in 90.
BUCKET_CAP = 64
# Half of a digest tells pages apart; the url_state row is compared in full.
_KEY_BYTES = 16

_HOLDERS = """
CREATE TABLE IF NOT EXISTS content_holders (
  content_key BLOB PRIMARY KEY,
  url TEXT NOT NULL
) WITHOUT ROWID
"""
_HOLDER = "SELECT url FROM content_holders WHERE content_key = ?"
_HOLD = "INSERT OR REPLACE INTO content_holders VALUES (?, ?)"
_RELEASE = "DELETE FROM content_holders WHERE content_key = ? AND url = ?"
_NEAR_URL = "SELECT url FROM near_pages WHERE simhash = ?"
_NEAR_HOLD = "INSERT OR REPLACE INTO near_pages VALUES (?, ?)"
_NEAR_RELEASE = "DELETE FROM near_pages WHERE simhash = ? AND url = ?"


class SqliteFingerprints:
    """Fingerprints. Writes ride in the transaction that the host has open."""

    def __init__(self, database: Database, *, bucket_cap: int = BUCKET_CAP) -> None:
        self._database = database
        database.define([_HOLDERS])
        self._near = SqliteNearIndex(database, bucket_cap)

    async def holders(self, content_hashes: Sequence[bytes]) -> dict[bytes, CanonicalUrl]:
        found: dict[bytes, CanonicalUrl] = {}
        for content_hash in content_hashes:
            row = self._database.row(_HOLDER, (content_hash[:_KEY_BYTES],))
            if row:
                found[content_hash] = row[0]
        return found

    async def near(self, simhashes: Sequence[int]) -> dict[int, list[CanonicalUrl]]:
        found: dict[int, list[CanonicalUrl]] = {}
        for simhash in simhashes:
            # Nearest first, then by value, so that the answer is the same on every run.
            order = sorted(
                self._near.near(simhash), key=lambda other: (distance(simhash, other), other)
            )
            urls = list(self._urls(order))
            if urls:
                found[simhash] = urls
        return found

    def _urls(self, simhashes: Sequence[int]) -> Iterator[CanonicalUrl]:
        for simhash in simhashes:
            row = self._database.row(_NEAR_URL, (simhash - BIAS,))
            if row:
                yield row[0]

    async def hold(self, pages: Sequence[PageFingerprint]) -> None:
        executemany = self._database.executemany
        executemany(_HOLD, [(page.content_hash[:_KEY_BYTES], page.url) for page in pages])
        comparable = [page for page in pages if page.simhash]
        executemany(_NEAR_HOLD, [(page.simhash - BIAS, page.url) for page in comparable])
        self._near.add([page.simhash for page in comparable])

    async def release(self, pages: Sequence[PageFingerprint]) -> None:
        execute = self._database.execute
        for page in pages:
            execute(_RELEASE, (page.content_hash[:_KEY_BYTES], page.url))
            if execute(_NEAR_RELEASE, (page.simhash - BIAS, page.url)).rowcount:
                self._near.remove([page.simhash])
