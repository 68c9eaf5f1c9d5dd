"""What a fetcher remembers of attempts: enough to know a copy, bounded however long it runs."""

from nephila_contracts.v1.fetch_pb2 import Attempt
from nephila_fetcher.held_leases import HeldLeases


def attempt(number: int) -> Attempt:
    return Attempt(attempt_id=f"0.{number}", sequence=number)


def test_a_copy_of_any_of_the_latest_attempts_is_dropped() -> None:
    leases = HeldLeases()
    assert all(leases.take(number % 8, attempt(number)) for number in range(100_000))
    assert not any(leases.take(number % 8, attempt(number)) for number in range(70_000, 100_000))


def test_what_was_taken_long_ago_is_forgotten() -> None:
    leases = HeldLeases()
    for number in range(70_000):
        leases.take(0, attempt(number))
    assert leases.take(0, attempt(0))


def test_an_attempt_that_failed_or_whose_partition_was_given_up_is_taken_again() -> None:
    leases = HeldLeases()
    for number in range(40_000):
        leases.take(number % 2, attempt(number))
    for failed in (0, 39_998):
        leases.untake(0, attempt(failed))
        assert leases.take(0, attempt(failed))
    leases.forget([1])
    assert leases.take(1, attempt(1))
    assert leases.take(1, attempt(39_999))
    assert not leases.take(0, attempt(2))
