"""From a body as it rode on a message to the payload that the archive keeps."""

from hashlib import sha256

import zstandard
from nephila_contracts.v1.page_pb2 import CODING_UNSPECIFIED, CODING_ZSTD, Body

from nephila_storage.page_store import Payload

_decompressor = zstandard.ZstdDecompressor()
# Types whose bytes are packed by their own format, so that deflating them gains nothing.
_PACKED_TYPES = ("image/", "video/", "audio/", "font/woff", "application/zip", "application/gzip")
# The fetcher's own limit is far below (10 MB by default).
LARGEST_BODY = 256 << 20

EMPTY_PAYLOAD = Payload(b"", sha256().digest(), packed=False, decoded=False)


class BodyUnreadable(Exception):
    """The body cannot be unpacked, or lies where nobody looks."""


def payload_of(body: Body, mime_type: str, content_hash: bytes) -> Payload:
    """The payload of a body: as received, or plain where the fetcher's zstd lies over it.

    `content_hash` is the SHA-256 of the decoded body, which spares a second one where the payload is
    that. Raises BodyUnreadable.
    """
    if body.claim_key:
        raise BodyUnreadable(f"body is a claim check: {body.claim_key}")
    packed_type = mime_type.startswith(_PACKED_TYPES)
    # A message gives a new copy at each asking.
    ridden = body.data
    if body.coding == CODING_UNSPECIFIED:
        return Payload(ridden, content_hash or sha256(ridden).digest(), packed_type, False)
    if body.coding == body.served_coding:
        return Payload(ridden, sha256(ridden).digest(), packed=True, decoded=False)
    if body.coding != CODING_ZSTD:
        raise BodyUnreadable(f"coding {body.coding} over served coding {body.served_coding}")
    data = unpacked(ridden)
    decoded = body.served_coding != CODING_UNSPECIFIED
    return Payload(data, sha256(data).digest(), packed_type, decoded)


def unpacked(data: bytes) -> bytes:
    """What the fetcher or the parser packed with zstd. Raises BodyUnreadable."""
    try:
        if 0 <= zstandard.frame_content_size(data) <= LARGEST_BODY:
            return _decompressor.decompress(data)
        # The reader makes room for all that is asked of it: 20 µs where the size is not told.
        with _decompressor.stream_reader(data) as reader:
            plain = reader.read(LARGEST_BODY + 1)
    except zstandard.ZstdError as error:
        raise BodyUnreadable(f"no zstd: {error}") from error
    if len(plain) > LARGEST_BODY:
        raise BodyUnreadable(f"unpacks to more than {LARGEST_BODY} bytes")
    return plain
