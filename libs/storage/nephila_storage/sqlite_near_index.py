"""Which simhashes lie near one, on SQLite: four rotations, each in order.

Pages that share the leading 16 bits lie together, those that share more of them nearest. The first
rotation is the simhash itself, the key of near_pages. The others are integers alone, in two tables each:
a new one goes into the *young* table, some leaves that every transaction writes anyway. When the young
have become many, they move over in order, several to a leaf. One by one, each would dirty a leaf of its
own in each table: with this, a crawl at its 157,000th page wrote less than at its 51,000th before.
"""

from collections.abc import Iterable, Sequence

from nephila_runtime.database import Database

from nephila_storage.fingerprints import NEAR_BITS
from nephila_storage.simhash_blocks import BLOCK_BITS, BLOCKS, block, rotations, unrotated

# Rows of a young table: at 13 bytes each 6 leaves of 8 KiB, which a turn of 50 pages fills evenly.
YOUNG = 4_096
# SQLite's integers are signed: this keeps the order.
BIAS = 1 << 63
_REST = 64 - BLOCK_BITS
_TURNED = range(1, BLOCKS)
_AGES = ("young", "rotation")

TABLES = [
    "CREATE TABLE IF NOT EXISTS near_pages (simhash INTEGER PRIMARY KEY, url TEXT NOT NULL)",
    *(
        f"CREATE TABLE IF NOT EXISTS near_{age}_{index} (rotation INTEGER PRIMARY KEY)"
        for index in _TURNED
        for age in _AGES
    ),
]


def _below_and_above(table: str, column: str) -> str:
    """One column of rotations: from the second parameter down to the first, then up to the third."""
    return f"""
    SELECT * FROM (SELECT {column} FROM {table}
      WHERE {column} BETWEEN ?1 AND ?2 ORDER BY {column} DESC LIMIT ?4)
    UNION ALL
    SELECT * FROM (SELECT {column} FROM {table}
      WHERE {column} > ?2 AND {column} <= ?3 ORDER BY {column} LIMIT ?4)
    """


_CANDIDATES = [
    _below_and_above("near_pages", "simhash"),
    *(
        " UNION ALL ".join(_below_and_above(f"near_{age}_{index}", "rotation") for age in _AGES)
        for index in _TURNED
    ),
]


class SqliteNearIndex:
    """The rotations of the simhashes in near_pages, whose rows are its owner's to write."""

    def __init__(self, database: Database, bucket_cap: int) -> None:
        database.define(TABLES)
        self._database = database
        self._half_cap = max(bucket_cap // 2, 1)
        self._young = {
            index: database.rows(f"SELECT count(*) FROM near_young_{index}")[0][0]
            for index in _TURNED
        }

    def near(self, simhash: int) -> set[int]:
        """Those within NEAR_BITS; of a bucket only the nearest half caps on each side are looked at."""
        found: set[int] = set()
        for index, rotation in enumerate(rotations(simhash)):
            here = rotation - BIAS
            low = (block(rotation) << _REST) - BIAS
            rows = self._database.execute(
                _CANDIDATES[index], (low, here, low + (1 << _REST) - 1, self._half_cap)
            )
            # Of one block they are of one sign, so that their bits may be compared as they are.
            near = [other for (other,) in rows if (other ^ here).bit_count() <= NEAR_BITS]
            found.update(unrotated(other + BIAS, index) for other in near)
        return found

    def add(self, simhashes: Sequence[int]) -> None:
        turned = [rotations(simhash) for simhash in simhashes]
        for index in _TURNED:
            self._database.executemany(
                f"INSERT OR IGNORE INTO near_young_{index} VALUES (?)",
                [(each[index] - BIAS,) for each in turned],
            )
            # A rolled back step leaves this too high, which only means an early move.
            self._young[index] += len(turned)
        # One table a turn: what a move dirties waits in the write-ahead log for the commit.
        crowded = max(_TURNED, key=self._young.__getitem__)
        if self._young[crowded] >= YOUNG:
            self._move_young(crowded)

    def _move_young(self, index: int) -> None:
        self._database.execute(
            f"INSERT OR IGNORE INTO near_rotation_{index}"
            f" SELECT rotation FROM near_young_{index} ORDER BY rotation"
        )
        self._database.execute(f"DELETE FROM near_young_{index}")
        self._young[index] = 0

    def remove(self, simhashes: Iterable[int]) -> None:
        for simhash in simhashes:
            turned = rotations(simhash)
            for index in _TURNED:
                for age in _AGES:
                    self._database.execute(
                        f"DELETE FROM near_{age}_{index} WHERE rotation = ?",
                        (turned[index] - BIAS,),
                    )
