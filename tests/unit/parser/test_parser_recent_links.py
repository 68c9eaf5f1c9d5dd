"""The memory of links published lately forgets, and never mistakes one link for another."""

from hypothesis import given
from hypothesis import strategies as st
from nephila_parser.recent_links import RecentLinks
from nephila_urls import canonicalise, url_digest

DIGESTS = st.lists(st.binary(min_size=16, max_size=16), max_size=60, unique=True)


def test_what_was_learned_is_not_published_again() -> None:
    recent = RecentLinks(1024)
    digests = b"".join(url_digest(canonicalise(f"http://a.example/{n}")) for n in range(3))
    assert recent.unpublished(digests, 2) == [0, 1, 2]
    recent.learn(digests[16:32], 2)
    assert recent.unpublished(digests, 2) == [0, 2]
    assert recent.unpublished(digests, 3) == [0, 2]


def test_a_link_nearer_to_a_seed_is_published_again() -> None:
    recent = RecentLinks(1024)
    digest = b"0123456789abcdef"
    recent.learn(digest, 5)
    assert recent.unpublished(digest, 4) == [0]
    recent.learn(digest, 4)
    recent.learn(digest, 7)
    assert recent.unpublished(digest, 4) == []
    assert recent.unpublished(digest, 3) == [0]


def test_depths_beyond_what_is_kept_count_as_the_deepest() -> None:
    recent = RecentLinks(16)
    recent.learn(b"0123456789abcdef", 100_000)
    assert recent.unpublished(b"0123456789abcdef", 100_001) == []
    assert recent.unpublished(b"0123456789abcdef", 100) == [0]


@given(learned=DIGESTS, asked=DIGESTS, capacity=st.integers(1, 40))
def test_only_learned_links_count_as_published(
    learned: list[bytes], asked: list[bytes], capacity: int
) -> None:
    recent = RecentLinks(capacity)
    recent.learn(b"".join(learned), 1)
    fresh = recent.unpublished(b"".join(asked), 1)
    assert {asked[at] for at in range(len(asked)) if at not in fresh} <= set(learned)


@given(learned=DIGESTS)
def test_the_link_learned_last_is_remembered(learned: list[bytes]) -> None:
    recent = RecentLinks(4)
    for digest in learned:
        recent.learn(digest, 1)
        assert recent.unpublished(digest, 1) == []
