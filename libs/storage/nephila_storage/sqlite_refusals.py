"""The refusal log on SQLite."""

from collections.abc import Mapping, Sequence

from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime.database import Database

from nephila_storage.refusals import SAMPLES, RefusedUrl

_TABLES = (
    """
    CREATE TABLE IF NOT EXISTS refusal_count (
      site_key TEXT NOT NULL,
      reason INTEGER NOT NULL,
      count INTEGER NOT NULL,
      PRIMARY KEY (site_key, reason)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE IF NOT EXISTS refusal_sample (
      site_key TEXT NOT NULL,
      reason INTEGER NOT NULL,
      url TEXT NOT NULL,
      source_url TEXT NOT NULL,
      depth INTEGER NOT NULL,
      PRIMARY KEY (site_key, reason, url)
    ) WITHOUT ROWID
    """,
)

_COUNT = """
INSERT INTO refusal_count VALUES (?, ?, ?)
ON CONFLICT (site_key, reason) DO UPDATE SET count = count + excluded.count
"""
_SAMPLE = "INSERT OR IGNORE INTO refusal_sample VALUES (?, ?, ?, ?, ?)"
_SAMPLES_OF = "SELECT count(*) FROM refusal_sample WHERE site_key = ? AND reason = ?"
# Site keys and reasons whose number of samples is remembered: about 200 bytes each.
_REMEMBERED = 50_000


class SqliteRefusalLog:
    """A `RefusalLog`. Writes ride in the transaction that the host has open."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._samples: dict[tuple[str, Reason], int] = {}
        # Summed once and added to from then on: a live view asks ten times a second, of a table with a
        # row a site and reason.
        self._totals: dict[Reason, int] | None = None
        database.define(_TABLES)

    async def add(
        self, counts: Mapping[tuple[str, Reason], int], samples: Sequence[RefusedUrl]
    ) -> None:
        self._database.executemany(
            _COUNT, [(site_key, reason, count) for (site_key, reason), count in counts.items()]
        )
        if self._totals is not None:
            for (_, reason), count in counts.items():
                self._totals[reason] = self._totals.get(reason, 0) + count
        for refused in samples:
            key = (refused.site_key, refused.reason)
            if self._samples_of(key) >= SAMPLES:
                continue
            row = (*key, refused.url, refused.source_url, refused.depth)
            self._samples[key] += self._database.execute(_SAMPLE, row).rowcount

    def _samples_of(self, key: tuple[str, Reason]) -> int:
        count = self._samples.get(key)
        if count is None:
            if len(self._samples) >= _REMEMBERED:
                self._samples.clear()
            (count,) = self._database.rows(_SAMPLES_OF, key)[0]
            self._samples[key] = count
        return count

    async def counts(self) -> dict[tuple[str, Reason], int]:
        rows = self._database.rows("SELECT site_key, reason, count FROM refusal_count")
        return {(site_key, reason): count for site_key, reason, count in rows}

    async def totals(self) -> dict[Reason, int]:
        if self._totals is None:
            self._totals = dict(
                self._database.rows("SELECT reason, sum(count) FROM refusal_count GROUP BY reason")
            )
        return dict(self._totals)

    async def samples(self, site_key: str, reason: Reason) -> list[RefusedUrl]:
        rows = self._database.rows(
            "SELECT * FROM refusal_sample WHERE site_key = ? AND reason = ? ORDER BY url",
            (site_key, reason),
        )
        return [RefusedUrl(*row) for row in rows]

    async def find(self, site_key: str, url: str) -> list[RefusedUrl]:
        rows = self._database.rows(
            "SELECT * FROM refusal_sample WHERE site_key = ? AND url = ? ORDER BY reason",
            (site_key, url),
        )
        return [RefusedUrl(*row) for row in rows]
