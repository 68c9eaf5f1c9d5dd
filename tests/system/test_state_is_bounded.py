"""What a crawl leaves in state.sqlite, counted by the URL: the long run of `make bench-long` in small."""

import sqlite3
from collections.abc import Iterator
from datetime import timedelta

import pytest
from nephila_contracts import topics
from nephila_runtime.embedded_host import EmbeddedSettings
from nephila_testkit.web.graph import SyntheticWeb
from nephila_testkit.web.shape import WebShape
from simulation import Simulation

_SEGMENT_BYTES = 64 * 1024
# The one that is written to, and one that its slowest reader has just passed.
_MOST_OF_A_TOPIC = 2 * _SEGMENT_BYTES
_MOST_BYTES_A_URL = 700


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[sqlite3.Connection]:
    """The state after a crawl of some 500 URLs, its log in segments so small that it drops many."""
    into = tmp_path_factory.mktemp("bounded") / "crawl"
    web = SyntheticWeb(WebShape(hosts=10, pages_per_host=50).calm())
    host = EmbeddedSettings(segment_bytes=_SEGMENT_BYTES, trim_every=timedelta(seconds=1))
    Simulation(web, into, delay=timedelta(seconds=0.2), host=host).run()
    connection = sqlite3.connect(into / "state.sqlite")
    yield connection
    connection.close()


def test_the_log_keeps_no_more_than_its_last_segments(state: sqlite3.Connection) -> None:
    """Also of topics that nobody would miss: every reader's place moves on, and what it passed goes."""
    sizes = dict(state.execute("SELECT topic, sum(bytes) FROM log_segments GROUP BY topic"))
    assert topics.PAGE_DOWNLOADED.name in sizes
    assert {topic: size for topic, size in sizes.items() if size > _MOST_OF_A_TOPIC} == {}
    newest = dict(state.execute("SELECT topic, max(segment) FROM log_segments GROUP BY topic"))
    assert newest[topics.PAGE_DOWNLOADED.name] > 5


def test_a_known_url_costs_a_bounded_number_of_bytes(state: sqlite3.Connection) -> None:
    segments = "SELECT name FROM sqlite_schema WHERE name GLOB 'log_*_[0-9]*'"
    for (table,) in state.execute(segments).fetchall():
        state.execute(f"DROP TABLE {table}")
    (known,) = state.execute("SELECT count(*) FROM url_state").fetchone()
    (pages,) = state.execute("PRAGMA page_count").fetchone()
    (free,) = state.execute("PRAGMA freelist_count").fetchone()
    (page_bytes,) = state.execute("PRAGMA page_size").fetchone()
    (tables,) = state.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    assert known > 450
    # A table that holds next to nothing takes a page all the same.
    assert (pages - free - tables) * page_bytes / known < _MOST_BYTES_A_URL
