"""Fingerprints on SQLite: about 200 bytes a page, good to 10 million pages.

The near index is the simhash in four rotations, each a table of integers alone: pages that share the
leading 16 bits lie together, those that share more of them nearest. Beyond 10 million pages a bucket
holds more than is looked at: more tables with fewer bits each are due then.
"""

from collections.abc import Iterator, Sequence

from nephila_runtime.database import Database
from nephila_urls import CanonicalUrl

from nephila_storage.fingerprints import NEAR_BITS, PageFingerprint
from nephila_storage.simhash_blocks import (
    BLOCK_BITS,
    BLOCKS,
    block,
    distance,
    rotations,
    unrotated,
)

# Candidates looked at in each of the four buckets, half on each side of the simhash.
BUCKET_CAP = 128
# Half of a digest tells pages apart; the url_state row is compared in full.
_KEY_BYTES = 16
# SQLite's integers are signed: this keeps the order.
_BIAS = 1 << 63
_REST = 64 - BLOCK_BITS

_TABLES = [
    """
    CREATE TABLE IF NOT EXISTS content_holders (
      content_key BLOB PRIMARY KEY,
      url TEXT NOT NULL
    ) WITHOUT ROWID
    """,
    "CREATE TABLE IF NOT EXISTS near_pages (simhash INTEGER PRIMARY KEY, url TEXT NOT NULL)",
    *(
        f"CREATE TABLE IF NOT EXISTS near_rotation_{index} (rotation INTEGER PRIMARY KEY)"
        for index in range(BLOCKS)
    ),
]
_HOLDER = "SELECT url FROM content_holders WHERE content_key = ?"
_HOLD = "INSERT OR REPLACE INTO content_holders VALUES (?, ?)"
_RELEASE = "DELETE FROM content_holders WHERE content_key = ? AND url = ?"
_NEAR_URL = "SELECT url FROM near_pages WHERE simhash = ?"
_NEAR_HOLD = "INSERT OR REPLACE INTO near_pages VALUES (?, ?)"
_NEAR_RELEASE = "DELETE FROM near_pages WHERE simhash = ? AND url = ?"


def _below_and_above(index: int) -> str:
    table = f"near_rotation_{index}"
    first = 1 + 3 * index
    low, at, high = f"?{first}", f"?{first + 1}", f"?{first + 2}"
    cap = f"?{1 + 3 * BLOCKS}"
    return f"""
    SELECT * FROM (SELECT {index}, rotation FROM {table}
      WHERE rotation BETWEEN {low} AND {at} ORDER BY rotation DESC LIMIT {cap})
    UNION ALL
    SELECT * FROM (SELECT {index}, rotation FROM {table}
      WHERE rotation > {at} AND rotation <= {high} ORDER BY rotation LIMIT {cap})
    """


_CANDIDATES = " UNION ALL ".join(_below_and_above(index) for index in range(BLOCKS))


class SqliteFingerprints:
    """Fingerprints. Writes ride in the transaction that the host has open."""

    def __init__(self, database: Database, *, bucket_cap: int = BUCKET_CAP) -> None:
        self._database = database
        self._half_cap = max(bucket_cap // 2, 1)
        database.define(_TABLES)

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
            urls = list(self._urls(self._near_simhashes(simhash)))
            if urls:
                found[simhash] = urls
        return found

    def _near_simhashes(self, simhash: int) -> list[int]:
        """Nearest first, then by value, so that the answer is the same on every run."""
        turned = rotations(simhash)
        parameters: list[int] = []
        for rotation in turned:
            low = (block(rotation) << _REST) - _BIAS
            parameters += (low, rotation - _BIAS, low + (1 << _REST) - 1)
        near = {
            unrotated(rotation + _BIAS, index)
            for index, rotation in self._database.execute(
                _CANDIDATES, (*parameters, self._half_cap)
            )
            if ((rotation + _BIAS) ^ turned[index]).bit_count() <= NEAR_BITS
        }
        return sorted(near, key=lambda other: (distance(simhash, other), other))

    def _urls(self, simhashes: Sequence[int]) -> Iterator[CanonicalUrl]:
        for simhash in simhashes:
            row = self._database.row(_NEAR_URL, (simhash - _BIAS,))
            if row:
                yield row[0]

    async def hold(self, pages: Sequence[PageFingerprint]) -> None:
        executemany = self._database.executemany
        executemany(_HOLD, [(page.content_hash[:_KEY_BYTES], page.url) for page in pages])
        comparable = [page for page in pages if page.simhash]
        executemany(_NEAR_HOLD, [(page.simhash - _BIAS, page.url) for page in comparable])
        turned = [rotations(page.simhash) for page in comparable]
        for index in range(BLOCKS):
            executemany(
                f"INSERT OR IGNORE INTO near_rotation_{index} VALUES (?)",
                [(each[index] - _BIAS,) for each in turned],
            )

    async def release(self, pages: Sequence[PageFingerprint]) -> None:
        execute = self._database.execute
        for page in pages:
            execute(_RELEASE, (page.content_hash[:_KEY_BYTES], page.url))
            if not execute(_NEAR_RELEASE, (page.simhash - _BIAS, page.url)).rowcount:
                continue
            for index, rotation in enumerate(rotations(page.simhash)):
                execute(
                    f"DELETE FROM near_rotation_{index} WHERE rotation = ?",
                    (rotation - _BIAS,),
                )
