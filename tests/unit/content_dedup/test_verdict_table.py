"""The verdict, case by case."""

from dataclasses import replace
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nephila_content_dedup.answers import Answer, answer_of
from nephila_content_dedup.verdict import (
    NO_TWINS,
    Judgement,
    PageContent,
    Twins,
    is_better_canonical,
    judge_other,
    judge_page,
)
from nephila_contracts.v1 import page_pb2, reason_pb2
from nephila_contracts.v1.page_pb2 import Verdict
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_storage.url_state import ContentRecord
from nephila_urls import CanonicalUrl, site_key, url_digest
from parsed_pages import answered, page, unanswered

NEW, CHANGED = page_pb2.VERDICT_NEW, page_pb2.VERDICT_CHANGED
UNCHANGED, ALIAS = page_pb2.VERDICT_UNCHANGED, page_pb2.VERDICT_ALIAS
URL = "https://a.example/page"


def content(url: str = URL, text: bytes = b"x") -> PageContent:
    canonical = CanonicalUrl(url)
    return PageContent(canonical, site_key(canonical), sha256(text).digest(), 1)


def row(url: str = URL, text: bytes = b"x", alias_of: str = "") -> ContentRecord:
    held = content(url, text)
    return ContentRecord(
        url=held.url,
        site_key=held.site_key,
        digest=url_digest(held.url),
        sequence=1,
        offset=1,
        content_hash=held.content_hash if text else b"",
        previous_hash=b"",
        simhash=1,
        verdict=NEW,
        alias_of=alias_of,
        storage_key="",
        text_key="",
        payload_digest=b"",
        stored_at_ms=0,
        displaced="",
    )


TWIN = row("https://a.example/twin")
SHORT = row("https://a.example/p")
LONG = row("https://a.example/page/that/is/longer")
FAR = row("https://far.example/page/that/is/much/longer")
NEARBY = row("https://a.example/p", b"like x")


@pytest.mark.parametrize(
    ("previous", "twins", "expected"),
    [
        (None, NO_TWINS, Judgement(NEW)),
        (row(text=b""), NO_TWINS, Judgement(NEW)),
        (row(text=b"y"), NO_TWINS, Judgement(CHANGED)),
        (row(), NO_TWINS, Judgement(UNCHANGED)),
        (row(), Twins(SHORT, ()), Judgement(UNCHANGED)),
        (None, Twins(SHORT, ()), Judgement(ALIAS, SHORT)),
        (row(text=b"y"), Twins(SHORT, ()), Judgement(ALIAS, SHORT)),
        (None, Twins(None, (NEARBY,)), Judgement(ALIAS, NEARBY, near=True)),
        (None, Twins(SHORT, (NEARBY,)), Judgement(ALIAS, SHORT)),
        (None, Twins(LONG, ()), Judgement(NEW, displaced=LONG)),
        (None, Twins(FAR, ()), Judgement(ALIAS, FAR)),
        (row(text=b"y"), Twins(None, (LONG,)), Judgement(CHANGED, displaced=LONG, near=True)),
        (row(alias_of=SHORT.url), Twins(SHORT, ()), Judgement(UNCHANGED, SHORT)),
        (row(alias_of=NEARBY.url), Twins(FAR, (NEARBY,)), Judgement(UNCHANGED, NEARBY, near=True)),
        (row(alias_of=SHORT.url), NO_TWINS, Judgement(CHANGED)),
        (row(alias_of="https://gone.example/"), Twins(SHORT, ()), Judgement(ALIAS, SHORT)),
    ],
)
def test_a_page_is_judged_by_what_it_was_and_what_it_equals(
    previous: ContentRecord | None, twins: Twins, expected: Judgement
) -> None:
    assert judge_page(content(), previous, twins) == expected


@pytest.mark.parametrize(
    ("url", "other", "better"),
    [
        ("https://a.example/x", "http://a.example/x", True),
        ("http://a.example/x", "https://a.example/longer", False),
        ("https://a.example/x", "https://a.example/xx", True),
        ("https://a.example/xx", "https://a.example/x", False),
        ("https://a.example/x", "https://a.example/y", False),
        ("https://a.example/x", "http://b.example/longer", False),
        ("https://a.example/x", "https://www.a.example/x", True),
    ],
)
def test_the_canonical_is_https_then_shorter_then_first(url: str, other: str, better: bool) -> None:
    assert is_better_canonical(content(url), row(other)) is better


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        (Answer.REDIRECT, page_pb2.VERDICT_REDIRECTED),
        (Answer.GONE, page_pb2.VERDICT_GONE),
        (Answer.REFUSED, page_pb2.VERDICT_REFUSED),
        (Answer.LOST, page_pb2.VERDICT_LOST),
        (Answer.FAILURE, page_pb2.VERDICT_FAILED),
    ],
)
def test_an_answer_without_content_is_judged_by_its_sort(answer: Answer, verdict: Verdict) -> None:
    assert judge_other(answer, None).verdict == verdict
    assert judge_other(answer, row()).verdict == verdict


def test_not_modified_means_unchanged_only_for_who_holds_something() -> None:
    assert judge_other(Answer.NOT_MODIFIED, row()).verdict == UNCHANGED
    assert judge_other(Answer.NOT_MODIFIED, None).verdict == page_pb2.VERDICT_FAILED
    assert judge_other(Answer.NOT_MODIFIED, row(text=b"")).verdict == page_pb2.VERDICT_FAILED


SORTS: dict[Answer, set[str]] = {
    Answer.PAGE: {"FETCHED", "NOT_PARSED"},
    Answer.NOT_MODIFIED: {"NOT_MODIFIED"},
    Answer.REDIRECT: {"REDIRECTED"},
    Answer.GONE: {"GONE"},
    Answer.REFUSED: {"ROBOTS_DISALLOWED", "ROBOTS_UNREACHABLE", "ADDRESS_FORBIDDEN"},
    Answer.LOST: {"LOST"},
}
_RULES = range(10, 40)


@pytest.mark.parametrize(("name", "reason"), Reason.items())
def test_every_reason_has_its_sort(name: str, reason: Reason) -> None:
    short = name.removeprefix("REASON_")
    expected = next((sort for sort, names in SORTS.items() if short in names), Answer.FAILURE)
    if reason in _RULES:
        expected = Answer.REFUSED
    assert answer_of(answered(URL, reason, 200)) is expected


@pytest.mark.parametrize("status", [0, 199, 300, 404, 500])
def test_only_a_2xx_is_a_page(status: int) -> None:
    assert answer_of(answered(URL, reason_pb2.REASON_FETCHED, status)) is Answer.FAILURE
    assert answer_of(unanswered(URL, reason_pb2.REASON_FETCHED)) is Answer.FAILURE
    assert answer_of(page(URL, b"x", status=204)) is Answer.PAGE


_others = st.sampled_from([TWIN, SHORT, LONG, FAR, NEARBY])


@given(
    st.one_of(
        st.none(),
        st.sampled_from([row(), row(text=b"y"), row(text=b""), row(alias_of=SHORT.url)]),
    ),
    st.one_of(st.none(), _others),
    st.lists(_others, max_size=3),
)
def test_an_alias_has_a_canonical_that_is_no_worse_and_a_page_of_its_own_has_none(
    previous: ContentRecord | None, exact: ContentRecord | None, near: list[ContentRecord]
) -> None:
    judgement = judge_page(content(), previous, Twins(exact, near))
    if judgement.verdict == ALIAS:
        assert judgement.twin is not None
        assert not is_better_canonical(content(), judgement.twin)
        assert judgement.displaced is None
    if judgement.verdict in (NEW, CHANGED):
        assert judgement.twin is None
        held = previous.content_hash if previous else b""
        assert (judgement.verdict == CHANGED) == bool(held)
    if judgement.verdict == UNCHANGED:
        assert previous is not None
        assert previous.content_hash == content().content_hash
    # Judging again what was just judged changes nothing.
    alias_of = judgement.twin.url if judgement.twin else ""
    again = judge_page(content(), replace(row(), alias_of=alias_of), Twins(exact, near))
    assert again.verdict == UNCHANGED
