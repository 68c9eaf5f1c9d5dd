"""Content codings undone, within limits: what a body decodes to is the server's choice, not ours.

Each decoder is stopped at its limit and gives what came before a break; none ever holds more than
the limit and one buffer. A limit met or a stream that breaks off is told by `cut`.
"""

import zlib
from typing import NamedTuple, Protocol

import brotli
import zstandard
from isal import isal_zlib
from isal.igzip_lib import IsalError
from nephila_contracts.v1.page_pb2 import (
    CODING_BROTLI,
    CODING_DEFLATE,
    CODING_GZIP,
    CODING_UNSPECIFIED,
    CODING_ZSTD,
)

from nephila_parser.page import ParseLimits

GZIP_MAGIC = b"\x1f\x8b\x08"
_GZIP_WBITS = 31
_ZLIB_WBITS = 15
_RAW_WBITS = -15
# Fed in pieces this small once a stream has turned out damaged, so that little before the damage is lost.
_SALVAGE_STEP = 256
# RFC 8878 3.1.1.1.2 recommends that decoders support windows of 8 MB, and RFC 9659 bounds zstd as a
# content coding to them.
_ZSTD_WINDOW = 8 << 20
# A block of 4 bytes may decode to 128 KB, and this decoder has no bound on its output: 8 MB a step.
_ZSTD_STEP = 256
_ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"


class Decoded(NamedTuple):
    """A body without its coding. `cut` when a limit or damage ended it early."""

    data: bytes
    cut: bool


class _Inflate(Protocol):
    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int = 0, /) -> bytes: ...


def decoded_limit(received_bytes: int, most: int, limits: ParseLimits) -> int:
    """How many bytes a body of this size may decode to: `most`, less where the ratio is a bomb's."""
    return min(most, max(limits.bomb_bytes, received_bytes * limits.bomb_ratio))


def decode(body: bytes, coding: int, limit: int) -> Decoded:
    """Undoes one content coding (a `Coding`), to at most `limit` bytes."""
    if coding == CODING_UNSPECIFIED:
        return Decoded(body[:limit], len(body) > limit)
    if coding == CODING_GZIP:
        return gunzip(body, limit)
    if coding == CODING_ZSTD:
        return _unzstd(body, limit)
    if coding == CODING_BROTLI:
        return _unbrotli(body, limit)
    if coding == CODING_DEFLATE:
        return _inflate(body, limit)
    return Decoded(b"", True)


def gunzip(body: bytes, limit: int) -> Decoded:
    """Undoes gzip, also of files that are gzip themselves, such as sitemap.xml.gz."""
    parts: list[bytes] = []
    room = limit
    rest = body
    # RFC 1952 2.2: a file is a series of members; what follows the last one is padding.
    while rest.startswith(GZIP_MAGIC):
        stream = isal_zlib.decompressobj(_GZIP_WBITS)
        try:
            # One byte over the limit tells a body that ends there from one that goes on.
            part = stream.decompress(rest, room + 1)
        except IsalError:  # pyright: ignore[reportGeneralTypeIssues]
            parts.append(_salvage(zlib.decompressobj(_RAW_WBITS), _after_gzip_head(rest), room))
            return Decoded(b"".join(parts), True)
        parts.append(part[:room])
        if not stream.eof or len(part) > room:
            return Decoded(b"".join(parts), True)
        room -= len(part)
        rest = stream.unused_data
    return Decoded(parts[0] if len(parts) == 1 else b"".join(parts), not parts)


def _after_gzip_head(member: bytes) -> bytes:
    """The deflate stream of a gzip member, by RFC 1952 2.3: read without its checksum."""
    flags = member[3] if len(member) > 3 else 0
    at = 10
    if flags & 4:
        at += 2 + int.from_bytes(member[at : at + 2], "little")
    for flag in (8, 16):
        if flags & flag:
            end = member.find(b"\0", at)
            at = len(member) if end < 0 else end + 1
    return member[at + (2 if flags & 2 else 0) :]


def _inflate(body: bytes, limit: int) -> Decoded:
    # RFC 9110 8.4.1.2 means zlib, and notes that some servers send raw deflate.
    for wbits in (_ZLIB_WBITS, _RAW_WBITS):
        stream = zlib.decompressobj(wbits)
        try:
            data = stream.decompress(body, limit + 1)
        except zlib.error:
            continue
        return Decoded(data[:limit], not stream.eof or len(data) > limit)
    salvaged = _salvage(zlib.decompressobj(_ZLIB_WBITS), body, limit)
    return Decoded(salvaged or _salvage(zlib.decompressobj(_RAW_WBITS), body, limit), True)


def _salvage(stream: _Inflate, body: bytes, limit: int) -> bytes:
    """What a damaged stream holds before the damage, nearly."""
    parts: list[bytes] = []
    room = limit
    for at in range(0, len(body), _SALVAGE_STEP):
        try:
            part = stream.decompress(body[at : at + _SALVAGE_STEP], room)
        except zlib.error:
            break
        parts.append(part)
        room -= len(part)
        if room <= 0 or stream.eof:
            break
    return b"".join(parts)


def _unbrotli(body: bytes, limit: int) -> Decoded:
    stream = brotli.Decompressor()
    parts: list[bytes] = []
    room = limit
    feed = body
    try:
        while room >= 0 and not stream.is_finished():
            part = stream.process(feed, output_buffer_limit=room + 1)
            feed = b""
            if not part and stream.can_accept_more_data():
                break
            parts.append(part)
            room -= len(part)
    except brotli.error:
        return Decoded(b"".join(parts)[:limit], True)
    data = parts[0] if len(parts) == 1 else b"".join(parts)
    return Decoded(data[:limit], not stream.is_finished() or len(data) > limit)


def _unzstd(body: bytes, limit: int) -> Decoded:
    decoder = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    try:
        if 0 <= zstandard.frame_content_size(body) <= limit:
            # The frame says its size: one call, twice as fast. Anything behind it is an error.
            return Decoded(decoder.decompress(body, allow_extra_data=False), False)
    except zstandard.ZstdError:
        pass
    parts: list[bytes] = []
    room = limit
    stream = decoder.decompressobj()
    at = 0
    while at < len(body) and room >= 0:
        try:
            part = stream.decompress(body[at : at + _ZSTD_STEP])
        except zstandard.ZstdError:
            break
        at = min(at + _ZSTD_STEP, len(body))
        parts.append(part)
        room -= len(part)
        if stream.eof:
            at -= len(stream.unused_data)
            if not body.startswith(_ZSTD_MAGIC, at):
                break
            stream = decoder.decompressobj()
    return Decoded(b"".join(parts)[:limit], room < 0 or not stream.eof)
