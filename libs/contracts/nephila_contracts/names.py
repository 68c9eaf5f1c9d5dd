"""Reason codes and verdicts as words, for people, metrics and files."""

from nephila_contracts.v1.page_pb2 import Verdict
from nephila_contracts.v1.reason_pb2 import Reason

_REASONS = {code: name.removeprefix("REASON_") for name, code in Reason.items()}
_VERDICTS = {code: name.removeprefix("VERDICT_").lower() for name, code in Verdict.items()}


def reason_name(reason: Reason) -> str:
    """ "TIMED_OUT" for REASON_TIMED_OUT; "REASON_999" for a code younger than this program."""
    return _REASONS.get(reason, f"REASON_{reason}")


def verdict_name(verdict: Verdict) -> str:
    """ "new" for VERDICT_NEW; "verdict_99" for one younger than this program."""
    return _VERDICTS.get(verdict, f"verdict_{verdict}")
