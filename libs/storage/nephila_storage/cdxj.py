"""CDXJ: where in a WARC file a URL's captures lie. One line each, as pywb reads them."""

import msgspec
from nephila_urls import CanonicalUrl

from nephila_storage.surt import surt
from nephila_storage.warc_records import cdxj_timestamp


class _Entry(msgspec.Struct):
    url: str
    mime: str
    status: str
    digest: str
    length: str
    offset: str
    filename: str


_encode = msgspec.json.Encoder().encode


def cdxj_line(
    url: CanonicalUrl,
    fetched_at_ms: int,
    *,
    mime: str,
    status: int,
    digest: str,
    place: tuple[str, int, int],
) -> bytes:
    """The line of a record that lies at `place`: (file name, offset, length)."""
    filename, offset, length = place
    entry = _Entry(url, mime, str(status), digest, str(length), str(offset), filename)
    key = f"{surt(url)} {cdxj_timestamp(fetched_at_ms)} "
    return b"%b%b\n" % (key.encode(), _encode(entry))


def sorted_lines(lines: bytes) -> bytes:
    """The lines in byte order: what a binary search needs. The length stays."""
    return b"".join(sorted(lines.splitlines(keepends=True)))
