"""What the end of a fetch means for its URL and its host. Pure."""

from nephila_contracts.v1.fetch_pb2 import FETCH_END_DEFERRED, FetchCompleted
from nephila_contracts.v1.reason_pb2 import (
    REASON_BACKED_OFF,
    REASON_BLOCKLISTED,
    REASON_CONNECTION_FAILED,
    REASON_CONNECTION_REFUSED,
    REASON_DNS_FAILED,
    REASON_FETCHED,
    REASON_HANDED_BACK,
    REASON_NOT_MODIFIED,
    REASON_PAUSED,
    REASON_ROBOTS_UNREACHABLE,
    REASON_TIMED_OUT,
    REASON_TRIES_SPENT,
)
from nephila_contracts.v1.url_pb2 import URL_KIND_UNSPECIFIED

# The host or the way to it is in trouble, whether or not the URL gets another try.
_TROUBLE = frozenset(
    (
        REASON_BACKED_OFF,
        REASON_TIMED_OUT,
        REASON_ROBOTS_UNREACHABLE,
        REASON_DNS_FAILED,
        REASON_CONNECTION_FAILED,
        REASON_CONNECTION_REFUSED,
        REASON_TRIES_SPENT,
    )
)
# Nobody's fault: no try is counted for these.
_HELD = frozenset((REASON_BLOCKLISTED, REASON_PAUSED))
_UNCOUNTED = _HELD | {REASON_HANDED_BACK, REASON_BACKED_OFF}
# Told of the host or of the way to it, whatever was asked for.
_AWAY = frozenset((REASON_CONNECTION_REFUSED, REASON_DNS_FAILED, REASON_ROBOTS_UNREACHABLE))
_AWAY_WHEN_UNSENT = frozenset((REASON_TIMED_OUT, REASON_CONNECTION_FAILED))
_STORED = frozenset((REASON_FETCHED, REASON_NOT_MODIFIED))


def is_deferred(completed: FetchCompleted) -> bool:
    """The URL stays in its queue."""
    return completed.end == FETCH_END_DEFERRED


def is_trouble(completed: FetchCompleted) -> bool:
    """The host is backed off."""
    return completed.reason in _TROUBLE


def is_answer(completed: FetchCompleted) -> bool:
    """The host answered as it should, so that what went before is forgiven."""
    return completed.http_status != 0 and completed.reason not in _TROUBLE


def is_held(completed: FetchCompleted) -> bool:
    """The operator keeps the host back."""
    return completed.reason in _HELD


def is_handed_back(completed: FetchCompleted) -> bool:
    return completed.reason == REASON_HANDED_BACK


def counts_as_try(completed: FetchCompleted) -> bool:
    return completed.reason not in _UNCOUNTED


def counts_as_back_off(completed: FetchCompleted) -> bool:
    return completed.reason == REASON_BACKED_OFF


def is_away(completed: FetchCompleted) -> bool:
    """Nobody was there to be asked for the URL, which says nothing about it."""
    reason = completed.reason
    return reason in _AWAY or (reason in _AWAY_WHEN_UNSENT and not completed.request_sent)


def is_page(completed: FetchCompleted) -> bool:
    """A final attempt that brought a page, which the budget of pages counts."""
    return (
        not is_deferred(completed)
        and completed.reason in _STORED
        and completed.attempt.kind == URL_KIND_UNSPECIFIED
    )
