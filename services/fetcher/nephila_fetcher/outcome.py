"""How a fetch ended: final with a verdict to come, or deferred. Pure rules."""

import re
from dataclasses import dataclass
from datetime import timedelta

import httpx
from nephila_contracts.v1.fetch_pb2 import FetchEnd
from nephila_contracts.v1.page_pb2 import Truncation
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_urls import DEFAULT_RULES, CanonicalRules, CanonicalUrl, UrlRefused, canonicalise

from nephila_fetcher.body_packing import served_coding
from nephila_fetcher.exchange import Answer, ConnectionRefused, StaleConnection, TlsFailed
from nephila_fetcher.retry_after import retry_after

# Deferred at first, final at the third try. What is deferred and not here never counts.
_COUNTED = frozenset(
    (
        Reason.REASON_TIMED_OUT,
        Reason.REASON_CONNECTION_FAILED,
        Reason.REASON_CONNECTION_REFUSED,
        Reason.REASON_DNS_FAILED,
        Reason.REASON_ROBOTS_UNREACHABLE,
    )
)
_UNCOUNTED = frozenset(
    (
        Reason.REASON_BACKED_OFF,
        Reason.REASON_HANDED_BACK,
        Reason.REASON_PAUSED,
        Reason.REASON_BLOCKLISTED,
    )
)
_LAST_TRY = 2
_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_NO_TIME = timedelta()
# Any octet that has no place in a URL: percent-encoded as it stands, whatever its charset was.
_RAW_OCTET = re.compile(r"[\x00-\x20\x7f-\xff]")


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of one attempt. `target` is where a redirect leads."""

    reason: Reason
    end: FetchEnd = FetchEnd.FETCH_END_FINAL
    retry_after: timedelta = _NO_TIME
    target: CanonicalUrl | None = None

    @property
    def is_final(self) -> bool:
        return self.end == FetchEnd.FETCH_END_FINAL


def ended(reason: Reason, tries: int, wait: timedelta = _NO_TIME) -> Outcome:
    """The outcome for a reason, by the rule of three tries. `tries` went before this one."""
    deferred = reason in _UNCOUNTED or (reason in _COUNTED and tries < _LAST_TRY)
    if not deferred:
        return Outcome(reason)
    return Outcome(reason, FetchEnd.FETCH_END_DEFERRED, wait)


def of_failure(error: httpx.TransportError) -> Reason:
    """Why there was no answer."""
    match error:
        case httpx.TimeoutException():
            return Reason.REASON_TIMED_OUT
        case ConnectionRefused():
            return Reason.REASON_CONNECTION_REFUSED
        case TlsFailed():
            return Reason.REASON_TLS_FAILED
        case httpx.NetworkError() | StaleConnection():
            return Reason.REASON_CONNECTION_FAILED
        case _:
            return Reason.REASON_PROTOCOL_ERROR


@dataclass(frozen=True, slots=True)
class AnswerRules:
    """What the reading of an answer depends on. `spelling` is the crawl's, for redirect targets."""

    longest_wait: timedelta
    spelling: CanonicalRules = DEFAULT_RULES


def of_answer(
    answer: Answer, url: CanonicalUrl, tries: int, wall_ms: int, rules: AnswerRules
) -> Outcome:
    """What an answer to a page's request means."""
    status = answer.status
    if status in (429, 503):
        return ended(Reason.REASON_BACKED_OFF, tries, asked_wait(answer, wall_ms, rules))
    if status in _REDIRECTS:
        return _of_redirect(answer, url, rules.spelling)
    if status == 304:
        return Outcome(Reason.REASON_NOT_MODIFIED)
    if status in (404, 410):
        return Outcome(Reason.REASON_GONE)
    if 400 <= status < 500:
        return Outcome(Reason.REASON_CLIENT_ERROR)
    if status >= 500:
        return Outcome(Reason.REASON_SERVER_ERROR)
    if not 200 <= status < 300:
        return Outcome(Reason.REASON_BAD_REDIRECT)
    return _of_page(answer, tries)


def asked_wait(answer: Answer, wall_ms: int, rules: AnswerRules) -> timedelta:
    """Retry-After of an answer; 0 without a usable one."""
    value = answer.field("retry-after")
    date = answer.field("date")
    if not value:
        return _NO_TIME
    asked = retry_after(value, date=date, wall_ms=wall_ms, at_most=rules.longest_wait)
    return asked or _NO_TIME


def redirect_target(
    answer: Answer, url: CanonicalUrl, spelling: CanonicalRules
) -> CanonicalUrl | None:
    """Where Location leads, canonical; None when that is no URL to fetch, or `url` itself.

    The first field counts."""
    location = answer.field("location")
    if not location:
        return None
    text = _RAW_OCTET.sub(lambda octet: f"%{ord(octet[0]):02X}", location)
    try:
        target = canonicalise(text, url, spelling)
    except UrlRefused:
        return None
    return target if target != url else None


def is_redirect(answer: Answer) -> bool:
    return answer.status in _REDIRECTS


def _of_redirect(answer: Answer, url: CanonicalUrl, spelling: CanonicalRules) -> Outcome:
    target = redirect_target(answer, url, spelling)
    if target is None:
        return Outcome(Reason.REASON_BAD_REDIRECT)
    return Outcome(Reason.REASON_REDIRECTED, target=target)


def _of_page(answer: Answer, tries: int) -> Outcome:
    if answer.truncation == Truncation.TRUNCATION_TIME:
        return ended(Reason.REASON_TIMED_OUT, tries)
    if answer.truncation == Truncation.TRUNCATION_DISCONNECT:
        return ended(Reason.REASON_CONNECTION_FAILED, tries)
    if served_coding(answer.field("content-encoding")) is None:
        return Outcome(Reason.REASON_UNDECODABLE)
    return Outcome(Reason.REASON_FETCHED)
