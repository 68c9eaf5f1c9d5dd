"""What pages look like, by digest and by simhash: whose content a new page equals or resembles."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from nephila_urls import CanonicalUrl

# Charikar's simhash as Manku, Jain and Das Sarma (WWW 2007) use it: 64 bits, at most 3 apart.
NEAR_BITS = 3


@dataclass(frozen=True, slots=True)
class PageFingerprint:
    """What a canonical page looks like. `simhash` 0 says that its text is too short to compare."""

    url: CanonicalUrl
    content_hash: bytes
    simhash: int


class Fingerprints(Protocol):
    """A hint to the reader: an answer holds only while the url_state row of its URL agrees.

    Written by content_dedup alone, for canonical pages: aliases have no fingerprint of their own.
    """

    async def holders(self, content_hashes: Sequence[bytes]) -> dict[bytes, CanonicalUrl]:
        """By content hash: the page that has that content, where there is one."""
        ...

    async def near(self, simhashes: Sequence[int]) -> dict[int, list[CanonicalUrl]]:
        """By simhash: pages within NEAR_BITS of it, the nearest first; no entry where there is none.

        May leave some out where very many pages share a block of bits.
        """
        ...

    async def hold(self, pages: Sequence[PageFingerprint]) -> None:
        """Writes in the order given; a page takes over what another one held."""
        ...

    async def release(self, pages: Sequence[PageFingerprint]) -> None:
        """Drops what these pages still hold themselves."""
        ...
