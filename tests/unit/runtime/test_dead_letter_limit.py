"""When a service stops rather than bury everything."""

import pytest
from nephila_runtime.dead_letter_limit import DeadLetterLimit, TooManyDeadLetters


def test_one_bad_record_in_a_hundred_never_stops_a_service() -> None:
    limit = DeadLetterLimit("parser")
    for _ in range(100):
        limit.count(100, 1)


def test_a_service_that_buries_nearly_everything_stops_within_a_window() -> None:
    limit = DeadLetterLimit("parser", window=100)
    for _ in range(9):
        limit.count(10, 10)
    with pytest.raises(TooManyDeadLetters, match="100 of 100"):
        limit.count(10, 10)


def test_a_long_good_past_does_not_hide_what_is_wrong_now() -> None:
    limit = DeadLetterLimit("parser", window=100)
    for _ in range(1000):
        limit.count(100, 0)
    limit.count(100, 100)
    limit.count(100, 100)
    with pytest.raises(TooManyDeadLetters):
        limit.count(1000, 1000)


def test_a_few_bad_records_prove_nothing() -> None:
    DeadLetterLimit("parser", window=100).count(99, 99)
