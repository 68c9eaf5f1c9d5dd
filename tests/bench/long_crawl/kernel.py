"""A fixed piece of work, timed beside a crawl: what the machine's speed is worth at that moment."""

import os
import sqlite3
import time
import zlib

_ROUNDS = 3
_TEXT = b" ".join(b"word%d" % (number * number % 19_997) for number in range(20_000))


def kernel_seconds(core: int) -> float:
    """CPU seconds of the work on a core, the best of three: a crawl's own mixture of interpreter,
    compression and SQLite. The caller goes back to its own cores."""
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        return min(_once() for _ in range(_ROUNDS))
    finally:
        os.sched_setaffinity(0, cores)


def _once() -> float:
    began = time.process_time()
    words: dict[bytes, int] = {}
    for _ in range(3):
        for word in _TEXT.split():
            words[word] = words.get(word, 0) + len(word)
    zlib.decompress(zlib.compress(_TEXT, 1))
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE word (text BLOB PRIMARY KEY, size INTEGER) WITHOUT ROWID")
    database.executemany("INSERT INTO word VALUES (?, ?)", words.items())
    database.close()
    return time.process_time() - began
