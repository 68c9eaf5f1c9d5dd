"""How often each verdict was given for each reason, over a crawl's life. Written by the tally alone."""

from collections.abc import Mapping

from nephila_contracts.v1.page_pb2 import Verdict
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime.database import Database

_VERDICT_COUNTS = """
CREATE TABLE IF NOT EXISTS verdict_counts (
  verdict INTEGER NOT NULL,
  reason INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  PRIMARY KEY (verdict, reason)
) WITHOUT ROWID
"""


class SqliteVerdictCounts:
    """Counts of final attempts by (verdict, reason)."""

    def __init__(self, database: Database) -> None:
        self._database = database
        database.define([_VERDICT_COUNTS])

    def read(self) -> dict[tuple[Verdict, Reason], int]:
        rows = self._database.rows("SELECT verdict, reason, attempts FROM verdict_counts")
        return {(verdict, reason): attempts for verdict, reason, attempts in rows}

    def add(self, counts: Mapping[tuple[Verdict, Reason], int]) -> None:
        """Adds to the counts, inside the open transaction."""
        self._database.executemany(
            "INSERT INTO verdict_counts VALUES (?, ?, ?)"
            " ON CONFLICT DO UPDATE SET attempts = attempts + excluded.attempts",
            [(verdict, reason, n) for (verdict, reason), n in sorted(counts.items())],
        )
