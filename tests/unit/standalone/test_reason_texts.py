from nephila_contracts.v1.reason_pb2 import Reason
from nephila_standalone.reason_texts import REASON_TEXTS, by_name, mend_of, short_name, text_of
from nephila_urls import Refusal


def test_every_reason_has_one_sentence() -> None:
    assert set(REASON_TEXTS) == set(Reason.values())
    for text in REASON_TEXTS.values():
        assert text[0].isupper()
        assert text.endswith(".")
    assert len(set(REASON_TEXTS.values())) == len(REASON_TEXTS)


def test_every_mend_is_a_clause() -> None:
    for reason in REASON_TEXTS:
        mend = mend_of(reason)
        assert mend is None or not mend.endswith(".")


def test_names_lead_back_to_reasons() -> None:
    for reason in REASON_TEXTS:
        assert by_name(Reason.Name(reason).removeprefix("REASON_")) == reason
    assert all(by_name(refusal.name) for refusal in Refusal)
    assert by_name("NO_SUCH_REASON") == 0


def test_a_reason_younger_than_this_program_is_shown_all_the_same() -> None:
    unknown: Reason = 12345  # pyright: ignore[reportAssignmentType]
    assert text_of(unknown)
    assert short_name(unknown) == "reason 12345"
