"""The state of a DIR, opened to be looked at: read-only, also while a crawl is writing."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager

from nephila_runtime.database import Database
from nephila_storage.sqlite_refusals import SqliteRefusalLog
from nephila_storage.sqlite_url_state import URL_STATE

from nephila_standalone.directory import CrawlToRead
from nephila_standalone.errors import CrawlError, OtherCrawl

_TABLES = ("url_state", "refusal_count", "refusal_sample")


@contextmanager
def reading(crawl: CrawlToRead) -> Generator[Database]:
    """The database, closed afterwards; an empty one where the crawl has not made its tables yet.

    Raises OtherCrawl when the file is damaged or may not be read.
    """
    database = None
    try:
        database = _opened(crawl)
        yield database
    except CrawlError:
        raise
    except sqlite3.DatabaseError as error:
        mend = "check the rights on it, and that it is the file that nephila made"
        raise OtherCrawl(f"cannot read {crawl.state} ({error})", mend) from error
    finally:
        if database is not None:
            database.close()


def _opened(crawl: CrawlToRead) -> Database:
    if not crawl.state.exists():
        return _empty()
    database = Database.open_read_only(crawl.state)
    try:
        names = {name for (name,) in database.rows("SELECT name FROM sqlite_master")}
    except sqlite3.DatabaseError:
        database.close()
        raise
    if names.issuperset(_TABLES):
        return database
    database.close()
    return _empty()


def _empty() -> Database:
    database = Database.in_memory()
    database.define([URL_STATE])
    SqliteRefusalLog(database)
    return database
