"""A 64-bit fingerprint of a text: texts that share most of their word triples differ in few bits.

Words are what stands between blanks, lower-cased; each ideograph, kana or Hangul syllable is a word
of its own, since such texts have no blanks. A feature is a run of three words, weighing as often as
it occurs, and the fingerprint is Charikar's: bit i is set when the features with bit i outweigh the
others. `fingerprint` equals `simhash.Simhash` on the same hashed, weighted features; a test holds it to
that. Hashing the words with one pass of numpy over the bytes takes 0.1 ms for 19 KB where a call a
word takes 0.4.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.uint64]

SHINGLE_WORDS = 3
# Shorter texts (menus, "404 not found") resemble each other by chance.
FEWEST_SHINGLES = 16
# Of SplitMix64 (Steele, Lea and Flood 2014): odd constants and a mixing function without bad bits.
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
# The tables of powers below stay in the second-level cache.
_CHUNK = 1 << 16
# First bytes in UTF-8 of U+3000 to U+D7FF: kana, ideographs, Hangul.
_WORD_PER_CHARACTER = (0xE3, 0xED)


def _powers(base: int) -> Words:
    with np.errstate(over="ignore"):
        table = np.full(_CHUNK + 1, base, dtype=np.uint64)
        table[0] = 1
        return np.multiply.accumulate(table, dtype=np.uint64)


_BASE = 0xD1342543DE82EF95
_POWERS = _powers(_BASE)
_INVERSE_POWERS = _powers(pow(_BASE, -1, 1 << 64))


def simhash(text: str) -> int:
    """The fingerprint of a text; 0 means that it is too short to have one."""
    features = shingles(text)
    if len(features) < FEWEST_SHINGLES:
        return 0
    # 0 means none, so a text whose fingerprint is 0 gets its neighbour.
    return fingerprint(features) or 1


def shingles(text: str) -> NDArray[np.uint64]:
    """The hash of each run of three words, in order, with repetitions."""
    words = _word_hashes(text.lower().encode("utf-8", "replace"))
    if len(words) < SHINGLE_WORDS:
        return words[:0]
    mixed = words[:-2] * _MIX_2
    mixed ^= words[1:-1]
    mixed *= _GOLDEN
    mixed ^= words[2:]
    return _mix(mixed)


def fingerprint(features: NDArray[np.uint64]) -> int:
    """Charikar's fingerprint of hashed features, each of weight one."""
    count = len(features)
    # Rows are summed as bytes, at most 255 at a time and many side by side: 20 times as fast as row by row.
    rows = min(count, 255)
    side = -(-count // rows)
    padded = np.zeros(rows * side, dtype=np.uint64)
    padded[:count] = features
    bits = np.unpackbits(padded.view(np.uint8), bitorder="little").reshape(rows, side * 64)
    ones: NDArray[Any] = (
        bits.sum(axis=0, dtype=np.uint8).reshape(side, 64).sum(axis=0, dtype=np.int64)
    )
    return int(np.packbits(ones * 2 > count, bitorder="little").view("<u8")[0])


def _word_hashes(text: bytes) -> Words:
    if len(text) <= _CHUNK:
        return _hashes_of_chunk(text)
    parts: list[Words] = []
    at = 0
    while at < len(text):
        end = at + _CHUNK
        if end < len(text):
            # Between two words where there is a blank, else (one word of 64 KB) anywhere.
            end = text.rfind(b" ", at + 1, end) if b" " in text[at + 1 : end] else end
        parts.append(_hashes_of_chunk(text[at:end]))
        at = end
    return np.concatenate(parts)


def _hashes_of_chunk(text: bytes) -> Words:
    """A polynomial hash of each word, from one running sum over the bytes.

    The sum over a word's bytes is the difference of the running sum at its ends; multiplying by the
    inverse of the power at its start makes it independent of where the word stands.
    """
    octets = np.frombuffer(text, dtype=np.uint8)
    starts, ends = _word_bounds(octets)
    running = np.empty(len(octets) + 1, dtype=np.uint64)
    running[0] = 0
    np.cumsum(octets * _POWERS[: len(octets)], out=running[1:])
    hashes = running[ends] - running[starts]
    hashes *= _INVERSE_POWERS[starts]
    return _mix(hashes)


def _word_bounds(octets: NDArray[np.uint8]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    inside = np.zeros(len(octets) + 2, dtype=np.bool_)
    np.greater(octets, 32, out=inside[1:-1])
    bounds = inside[1:] != inside[:-1]
    low, high = _WORD_PER_CHARACTER
    alone = np.flatnonzero((octets >= low) & (octets <= high))
    if len(alone) == 0:
        changes = np.flatnonzero(bounds)
        return changes[::2], changes[1::2]
    # A character of three bytes that is a word by itself ends one word and begins the next.
    bounds[alone] = True
    bounds[np.minimum(alone + 3, len(octets))] = True
    cuts = np.flatnonzero(bounds)
    starts, ends = cuts[:-1], cuts[1:]
    kept = inside[starts + 1]
    return starts[kept], ends[kept]


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64's finalizer, in place: every bit of the result depends on every bit of the value."""
    values ^= values >> _S30
    values *= _MIX_1
    values ^= values >> _S27
    values *= _MIX_2
    values ^= values >> _S31
    return values
