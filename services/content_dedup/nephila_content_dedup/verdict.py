"""The verdict on a final attempt: pure.

What is known of a URL is its row (`previous`); what is known of its content is its `twins`: the canonical
page with the same content, and those that resemble it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from nephila_contracts.v1 import page_pb2
from nephila_contracts.v1.page_pb2 import Verdict
from nephila_storage.url_state import ContentRecord
from nephila_urls import CanonicalUrl

from nephila_content_dedup.answers import Answer


@dataclass(frozen=True, slots=True)
class PageContent:
    """What a page looks like: SHA-256 of its content; simhash 0 when its text is too short to compare."""

    url: CanonicalUrl
    site_key: str
    content_hash: bytes
    simhash: int


@dataclass(frozen=True, slots=True)
class Twins:
    """Canonical pages with the same content, or content like it (the nearest first)."""

    exact: ContentRecord | None
    near: Sequence[ContentRecord]


NO_TWINS = Twins(None, ())


@dataclass(frozen=True, slots=True)
class Judgement:
    """A verdict. `twin` is the canonical of an alias; `displaced` the page that this one takes the
    place of as canonical. `near` says that the one of them only resembles the page."""

    verdict: Verdict
    twin: ContentRecord | None = None
    displaced: ContentRecord | None = None
    near: bool = False


def judge_page(page: PageContent, previous: ContentRecord | None, twins: Twins) -> Judgement:
    """Judges a page that was answered with content."""
    had = previous.content_hash if previous else b""
    if previous and had == page.content_hash:
        if not previous.alias_of:
            return Judgement(page_pb2.VERDICT_UNCHANGED)
        canonical = _among(twins, previous.alias_of)
        if canonical:
            return Judgement(
                page_pb2.VERDICT_UNCHANGED, canonical, near=canonical is not twins.exact
            )
    twin = twins.exact or (twins.near[0] if twins.near else None)
    near = twin is not None and twin is not twins.exact
    if twin and not is_better_canonical(page, twin):
        return Judgement(page_pb2.VERDICT_ALIAS, twin, near=near)
    verdict = page_pb2.VERDICT_CHANGED if had else page_pb2.VERDICT_NEW
    return Judgement(verdict, displaced=twin, near=near)


def judge_other(answer: Answer, previous: ContentRecord | None) -> Judgement:
    """Judges an attempt that was answered without content, or not at all."""
    if answer is Answer.NOT_MODIFIED:
        # A 304 to somebody who holds nothing says nothing.
        holds = previous is not None and previous.content_hash
        return Judgement(page_pb2.VERDICT_UNCHANGED if holds else page_pb2.VERDICT_FAILED)
    return Judgement(_WITHOUT_CONTENT[answer])


_WITHOUT_CONTENT = {
    Answer.REDIRECT: page_pb2.VERDICT_REDIRECTED,
    Answer.GONE: page_pb2.VERDICT_GONE,
    Answer.REFUSED: page_pb2.VERDICT_REFUSED,
    Answer.LOST: page_pb2.VERDICT_LOST,
    Answer.FAILURE: page_pb2.VERDICT_FAILED,
}


def is_better_canonical(page: PageContent, other: ContentRecord) -> bool:
    """Within a site: HTTPS before HTTP, then the shorter one, then the first. Across sites: the first."""
    if page.site_key != other.site_key:
        return False
    return _rank(page.url) < _rank(other.url)


def _rank(url: CanonicalUrl) -> tuple[bool, int]:
    return not url.startswith("https:"), len(url)


def _among(twins: Twins, url: str) -> ContentRecord | None:
    if twins.exact and twins.exact.url == url:
        return twins.exact
    return next((twin for twin in twins.near if twin.url == url), None)
