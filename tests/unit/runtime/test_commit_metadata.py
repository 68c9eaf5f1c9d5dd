"""What stands beside a committed offset."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nephila_runtime.commit_metadata import MOST_FINISHED, UNKNOWN, CommitMetadata, decode, encode

# offset.metadata.max.bytes of a broker, as it comes.
BROKER_LIMIT = 4096

offsets = st.integers(0, 2**44)
beyond = st.frozensets(st.integers(1, MOST_FINISHED), max_size=200)


@given(offsets, beyond, st.booleans())
def test_what_is_written_is_read(watermark: int, distances: frozenset[int], released: bool) -> None:
    finished = frozenset(watermark + distance for distance in distances)
    metadata = encode(watermark, finished, released=released)
    assert decode(watermark, metadata) == CommitMetadata(released, finished)


def test_the_most_that_may_be_finished_beyond_fits_into_a_brokers_limit() -> None:
    finished = range(8, 8 + MOST_FINISHED)
    metadata = encode(7, finished, released=False)
    assert len(metadata.encode()) < BROKER_LIMIT
    assert decode(7, metadata).finished == frozenset(finished)


@pytest.mark.parametrize("offset", [7, 6, 8 + MOST_FINISHED])
def test_an_offset_that_the_bitmap_does_not_reach_is_refused(offset: int) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        encode(7, {offset}, released=False)


@given(st.none() | st.text(max_size=40) | st.text("1hr=+A/", max_size=12))
def test_what_is_not_ours_is_never_an_error(metadata: str | None) -> None:
    decode(7, metadata)


@pytest.mark.parametrize("metadata", [None, "", "by hand", "2h", "1h!", "1hA", "1r" + "A" * 4000])
def test_what_is_not_ours_reads_as_held_with_nothing_finished(metadata: str | None) -> None:
    assert decode(7, metadata) == UNKNOWN
