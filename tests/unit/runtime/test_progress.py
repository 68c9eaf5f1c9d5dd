"""How far a partition has been read."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nephila_runtime.commit_metadata import MOST_FINISHED, decode
from nephila_runtime.progress import Progress


def taken(progress: Progress, *offsets: int) -> list[int]:
    return [offset for offset in offsets if progress.take(offset)]


def restarted(progress: Progress) -> Progress:
    metadata = decode(progress.watermark, progress.metadata(released=False))
    return Progress(progress.watermark, metadata.finished)


def test_the_watermark_stays_below_the_slowest_record() -> None:
    progress = Progress(5)
    assert taken(progress, 5, 6, 7) == [5, 6, 7]
    progress.finish(6)
    progress.finish(7)
    assert progress.watermark == 5
    progress.finish(5)
    assert progress.watermark == 8


def test_a_restart_repeats_only_what_was_not_finished() -> None:
    progress = Progress(0)
    taken(progress, *range(10))
    for offset in (1, 2, 3, 5, 9):
        progress.finish(offset)
    again = restarted(progress)
    assert taken(again, *range(12)) == [0, 4, 6, 7, 8, 10, 11]


def test_offsets_that_nobody_is_handed_hold_nothing_up() -> None:
    progress = Progress(0)
    assert taken(progress, 0, 4, 9) == [0, 4, 9]
    progress.finish(9)
    progress.finish(0)
    assert progress.watermark == 4
    progress.finish(4)
    assert progress.watermark == 10


def test_a_gap_before_the_first_record_is_passed_however_wide() -> None:
    progress = Progress(3, {5, 7})
    assert progress.has_room(1_000_000)
    assert taken(progress, 1_000_000) == [1_000_000]
    assert progress.watermark == 1_000_000
    assert restarted(progress).watermark == 1_000_000


def test_a_reader_waits_for_a_record_that_is_too_far_behind() -> None:
    progress = Progress(0)
    for offset in range(MOST_FINISHED + 1):
        assert progress.has_room(offset)
        progress.take(offset)
    assert not progress.has_room(MOST_FINISHED + 1)
    for offset in range(1, MOST_FINISHED + 1):
        progress.finish(offset)
    assert len(progress.metadata(released=False)) < 4096
    progress.finish(0)
    assert progress.has_room(MOST_FINISHED + 1)


def test_something_to_commit_is_told_once() -> None:
    progress = Progress(0)
    progress.take(0)
    assert not progress.changed
    progress.finish(0)
    assert progress.changed


@given(
    st.lists(st.integers(0, 3), min_size=1, max_size=40),
    st.randoms(use_true_random=False),
    st.integers(0, 40),
)
def test_whatever_ends_in_whatever_order_a_restart_hands_out_the_rest(
    gaps: list[int], chance: random.Random, done: int
) -> None:
    offsets: list[int] = []
    offset = 0
    for gap in gaps:
        offset += gap
        offsets.append(offset)
        offset += 1
    progress = Progress(0)
    assert taken(progress, *offsets) == offsets
    ended = list(offsets)
    chance.shuffle(ended)
    for number in ended[:done]:
        progress.finish(number)
    again = restarted(progress)
    left = [o for o in offsets if o not in ended[:done]]
    assert taken(again, *(o for o in offsets if o >= again.watermark)) == left
    assert progress.under_way() == len(left)


@pytest.mark.parametrize("finished", [set[int](), {2}])
def test_what_was_finished_before_a_restart_moves_the_watermark(finished: set[int]) -> None:
    progress = Progress(1, finished)
    for offset in taken(progress, 1, 2, 3):
        progress.finish(offset)
    assert progress.watermark == 4
