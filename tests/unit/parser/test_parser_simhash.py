"""The fingerprint equals the simhash package's, and holds near-duplicates together."""

import gzip
import warnings
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from nephila_parser.simhash import fingerprint, shingles, simhash
from nephila_testkit import shared_data

with warnings.catch_warnings():
    # The package's source has an escape that Python 3.11 warns of when it compiles it.
    warnings.simplefilter("ignore")
    from simhash import Simhash  # pyright: ignore[reportMissingTypeStubs]

# Measured over both sets: true pairs within 7 bits, all others at least 13 apart.
TRUE_WITHIN = 7
WORDS = "the quick brown fox jumps over the lazy dog and runs away from the hounds that follow it"

GOLDEN = 0x63A8043791A29FA3
GOLDEN_UNICODE = 0xCA7C41BCC776CF47


def _reference(features: list[tuple[int, int]]) -> int:
    def hashed(text: bytes | str) -> int:
        return 0 if text == b"test" else int(text)

    reference = Simhash([(str(value), weight) for value, weight in features], hashfunc=hashed)
    assert isinstance(reference.value, int)
    return reference.value


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=1200))
def test_it_equals_the_simhash_package_on_the_same_hashed_features(values: list[int]) -> None:
    features = np.array(values, dtype=np.uint64)
    assert fingerprint(features) == _reference([(value, 1) for value in values])


@given(st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(1, 9)), min_size=1, max_size=99))
def test_a_feature_weighs_as_often_as_it_occurs(weighted: list[tuple[int, int]]) -> None:
    repeated = [value for value, weight in weighted for _ in range(weight)]
    assert fingerprint(np.array(repeated, dtype=np.uint64)) == _reference(weighted)


def test_it_does_not_change_from_release_to_release() -> None:
    # Stored fingerprints are compared with new ones.
    assert simhash(WORDS * 3) == GOLDEN
    assert simhash("Ünïcode " * 30) == GOLDEN_UNICODE


def test_case_and_blanks_do_not_count() -> None:
    assert simhash(WORDS.upper() * 3) == simhash(WORDS * 3)
    assert simhash(WORDS.replace(" ", "\n  ")) == simhash(WORDS)
    assert simhash("ÄÖÜ straße " * 20) == simhash("äöü straße " * 20)


def test_a_text_too_short_has_none() -> None:
    assert simhash("") == 0
    assert simhash("404 not found") == 0
    assert simhash("one two three four five six seven eight") == 0


def test_a_word_has_one_hash_wherever_it_stands() -> None:
    long = "x " * 40_000 + WORDS
    assert list(shingles(WORDS)) == list(shingles(long)[-len(shingles(WORDS)) :])


def test_ideographs_are_words_of_their_own() -> None:
    text = "日本語の文章は空白なしで書かれる。二番目の文も同じように続いていく。"
    assert len(shingles(text)) == len(text) - 2
    assert simhash(text) != 0
    changed = text.replace("二", "三")
    assert (simhash(text) ^ simhash(changed)).bit_count() < 20


@given(st.text())
def test_no_text_raises(text: str) -> None:
    assert 0 <= simhash(text) < 2**64


def test_true_pairs_lie_closer_than_all_others() -> None:
    for name in ("articles_100.train", "articles_1000.train.gz"):
        path = shared_data.path(f"near-duplicates/{name}")
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if name.endswith("gz") else raw).decode("utf-8", "replace")
        prints = {
            key: simhash(article)
            for key, _, article in (line.partition(" ") for line in text.splitlines())
        }
        truth = path.with_name(name.split(".")[0] + ".truth").read_text().split()
        pairs = {frozenset(pair) for pair in zip(truth[::2], truth[1::2], strict=True)}
        apart = {
            frozenset((a, b)): (prints[a] ^ prints[b]).bit_count()
            for a, b in combinations(prints, 2)
        }
        assert all(apart[pair] <= TRUE_WITHIN for pair in pairs)
        assert all(distance > TRUE_WITHIN for pair, distance in apart.items() if pair not in pairs)
