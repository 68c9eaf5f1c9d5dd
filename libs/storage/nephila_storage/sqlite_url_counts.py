"""url_state on SQLite, counted for people. Reads the whole table: never on a crawl's own path."""

from dataclasses import dataclass

from nephila_contracts.v1.page_pb2 import Verdict
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime.database import Database


@dataclass(frozen=True, slots=True)
class OutcomeCount:
    """How many URLs had this as their last final attempt."""

    verdict: Verdict
    reason: Reason
    urls: int


_OUTCOMES = """
SELECT fetch_verdict, fetch_reason, count(*) FROM url_state
WHERE fetch_verdict IS NOT NULL
GROUP BY fetch_verdict, fetch_reason
ORDER BY count(*) DESC, fetch_reason
"""
_OPEN = """
SELECT count(*) FROM url_state WHERE admission_offset IS NOT NULL AND fetch_verdict IS NULL
"""


class SqliteUrlCounts:
    """Counts url_state, also while a crawl writes to it (`Database.open_read_only`)."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def outcomes(self) -> list[OutcomeCount]:
        """Last verdicts and their reasons, the most frequent first."""
        return [OutcomeCount(*row) for row in self._database.rows(_OUTCOMES)]

    def open_urls(self) -> int:
        """URLs let through that have no verdict yet: queued or under way."""
        row = self._database.row(_OPEN)
        return row[0] if row else 0
