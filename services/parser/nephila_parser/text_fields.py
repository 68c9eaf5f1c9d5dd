"""What every readable content type leaves of its visible text: packed text and fingerprint."""

import zstandard

from nephila_parser.page import ParsedPage
from nephila_parser.simhash import simhash

_compressor = zstandard.ZstdCompressor(level=1)


def keep_text(page: ParsedPage, text: str) -> None:
    """Puts the visible text into the page."""
    if text:
        page.text_zstd = _compressor.compress(text.encode("utf-8", "replace"))
        page.simhash = simhash(text)
