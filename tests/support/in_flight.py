"""How many leases were handed out and not committed as fetched: what a death at this moment may repeat."""

import sqlite3
from pathlib import Path

_PUBLISHED = "SELECT sum(next_offset) FROM log_ends WHERE topic = 'fetch_requested'"
_FINISHED = (
    "SELECT next_offset, finished FROM log_offsets"
    " WHERE service = 'fetcher' AND topic = 'fetch_requested'"
)


def in_flight(state: Path) -> int:
    """By what is committed in DIR's state: leases published less leases finished."""
    connection = sqlite3.connect(f"{state.absolute().as_uri()}?mode=ro", uri=True)
    try:
        (published,) = connection.execute(_PUBLISHED).fetchone()
        finished = connection.execute(_FINISHED).fetchall()
    except sqlite3.OperationalError:
        return 0  # Nothing is there yet.
    finally:
        connection.close()
    return (published or 0) - sum(offset + len(gaps.split()) for offset, gaps in finished)
