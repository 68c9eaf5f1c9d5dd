"""Seeds that failed for a reason that somebody may have mended since: a new run tries them again.

Without it a DIR whose only seed met a host that was down could never go on.
"""

from collections.abc import Sequence

from nephila_contracts import topics
from nephila_contracts.v1 import reason_pb2 as r
from nephila_contracts.v1.url_pb2 import UrlDue
from nephila_runtime import Emit
from nephila_runtime.database import Database
from nephila_storage.sqlite_url_rows import SqliteUrlRows
from nephila_urls import CanonicalUrl

_MENDABLE = frozenset(
    {
        r.REASON_SERVER_ERROR,
        r.REASON_BACKED_OFF,
        r.REASON_ROBOTS_UNREACHABLE,
        r.REASON_NO_SUCH_HOST,
        r.REASON_DNS_FAILED,
        r.REASON_ADDRESS_FORBIDDEN,
        r.REASON_CONNECTION_REFUSED,
        r.REASON_CONNECTION_FAILED,
        r.REASON_TLS_FAILED,
        r.REASON_TIMED_OUT,
        r.REASON_PROTOCOL_ERROR,
        r.REASON_LOST,
        r.REASON_TRIES_SPENT,
    }
)


def retry_emits(database: Database, seeds: Sequence[str]) -> list[Emit[UrlDue]]:
    """url_due for each of the seeds whose last final attempt can be mended; in their order.

    Once at the start of a run, when the stores have their tables. One that is queued or leased is
    dropped by the frontier.
    """
    rows = SqliteUrlRows(database)
    emits: list[Emit[UrlDue]] = []
    for seed in seeds:
        row = rows.read_row(CanonicalUrl(seed))
        if row is not None and row.fetch is not None and row.fetch.reason in _MENDABLE:
            key = row.fetch.site_key
            due = UrlDue(url=seed, site_key=key, importance=1.0)
            emits.append(Emit(topics.URL_DUE, key, due))
    return emits
