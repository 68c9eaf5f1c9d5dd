"""When the last run ended in order, so that waits which hosts asked for run on while nobody crawls."""

from nephila_runtime.database import Database

_LAST_END = """
CREATE TABLE IF NOT EXISTS last_end (
  one INTEGER PRIMARY KEY CHECK (one = 0),
  boot TEXT NOT NULL,
  ended_at REAL NOT NULL
) WITHOUT ROWID
"""


class SqliteLastEnd:
    """One row, there only between an orderly end and the next run. Instants are of a Clock that runs from
    the machine's boot; `boot` names that, empty when it is not known. The time of day, which may be
    set to anything, has no part in it.
    """

    def __init__(self, database: Database) -> None:
        database.define([_LAST_END])
        self._database = database

    def take(self, boot: str, now: float) -> float:
        """Seconds that have surely passed since the last run ended; 0 when nothing is known. Only the
        first call tells."""
        row = self._database.row("DELETE FROM last_end RETURNING boot, ended_at")
        if row is None or not boot:
            return 0.0
        ended_boot, ended_at = row
        # Since another boot the whole time that this one has run, at least.
        return max(now - ended_at, 0.0) if ended_boot == boot else now

    def note(self, boot: str, now: float) -> None:
        """A run ends in order; nothing is written after it."""
        self._database.execute("INSERT OR REPLACE INTO last_end VALUES (0, ?, ?)", (boot, now))
