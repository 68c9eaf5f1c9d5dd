"""Deterministic text: enough different words that two pages never resemble each other by chance."""

from random import Random

_HEADS = ("b", "br", "c", "ch", "cr", "d", "dr", "f", "fl", "g", "h", "k", "l", "m", "n", "p", "s")
_MIDDLES = (
    "an",
    "ar",
    "el",
    "en",
    "er",
    "id",
    "il",
    "im",
    "in",
    "ol",
    "on",
    "or",
    "ul",
    "um",
    "us",
)
_TAILS = ("a", "e", "it", "o", "y", "ent", "is")
VOCABULARY = tuple(a + b + c for a in _HEADS for b in _MIDDLES for c in _TAILS)
_WORDS_A_PARAGRAPH = 40


def words(seed: int, count: int) -> list[str]:
    """The words of one page."""
    return Random(seed).choices(VOCABULARY, k=count)


def nearly(text: list[str], seed: int) -> list[str]:
    """The same words but one."""
    changed = list(text)
    changed[seed % len(changed)] = VOCABULARY[seed % len(VOCABULARY)] + "x"
    return changed


def paragraphs(text: list[str]) -> str:
    """As HTML paragraphs."""
    cuts = range(0, len(text), _WORDS_A_PARAGRAPH)
    return "".join(f"<p>{' '.join(text[at : at + _WORDS_A_PARAGRAPH])}.</p>\n" for at in cuts)
