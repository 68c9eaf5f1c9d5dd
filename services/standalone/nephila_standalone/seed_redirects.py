"""Seeds that were sent on to somewhere else: a name without its www. is the commonest seed of all."""

from collections.abc import Sequence

from nephila_contracts.v1.page_pb2 import VERDICT_REDIRECTED
from nephila_storage.sqlite_url_rows import SqliteUrlRows
from nephila_urls import CanonicalUrl

from nephila_standalone.directory import CrawlToRead, DirectoryPaths
from nephila_standalone.inspect_database import reading


def sent_on(paths: DirectoryPaths, seeds: Sequence[str]) -> dict[str, str]:
    """Each seed whose last answer was a redirect, and where it led; in the order of the seeds."""
    with reading(CrawlToRead.open(paths.path)) as database:
        rows = SqliteUrlRows(database)
        known = {seed: rows.read_row(CanonicalUrl(seed)) for seed in seeds}
    return {
        seed: row.content.alias_of
        for seed, row in known.items()
        if row and row.content and row.content.verdict == VERDICT_REDIRECTED
    }
