"""An answer as received: where its head ends, and what of it we refuse although llhttp lets it pass."""

from collections.abc import Sequence
from dataclasses import dataclass

import httptools
from nephila_contracts.v1.page_pb2 import Truncation

MAX_HEAD_BYTES = 64 * 1024
MAX_FIELDS = 200
# HTTP/0.9 has no head at all, and HTTP/2 is not spoken in text.
STATUS_LINE = b"HTTP/1."
_BODYLESS = frozenset((204, 304))


@dataclass(slots=True)
class Received:
    """An answer as it came: `head` in bytes, its fields, the body's pieces."""

    status: int
    head: bytes
    fields: Sequence[tuple[bytes, bytes]]
    body: bytes
    truncation: Truncation


def head_end(received: bytearray, start: int) -> int:
    """Length of the head at the front of `received`, searched from `start`; -1 when it goes on.

    RFC 9112 2.2 lets a lone LF end a line, and some servers end every line so.
    """
    end = received.find(b"\r\n\r\n", start)
    bare = received.find(b"\n\n", start, end if end >= 0 else len(received))
    if bare >= 0:
        return bare + 2
    return end + 4 if end >= 0 else -1


def ends_at_close(status: int, fields: Sequence[tuple[bytes, bytes]]) -> bool:
    """True when only the close of the connection ends the body.

    Raises HttpParserError for a status that is none of HTTP's, for too many fields, and for a transfer
    coding other than `chunked`: none was asked for, and what it hides could be an answer of its own.
    """
    if not 100 <= status <= 599:
        raise httptools.HttpParserError("no status code of HTTP")
    if len(fields) > MAX_FIELDS:
        raise httptools.HttpParserError("too many header fields")
    framed = status in _BODYLESS
    for name, value in fields:
        match name.lower():
            case b"transfer-encoding":
                if value.strip().lower() != b"chunked":
                    raise httptools.HttpParserError("a transfer coding that nobody asked for")
                framed = True
            case b"content-length":
                framed = True
            case _:
                pass
    return not framed
