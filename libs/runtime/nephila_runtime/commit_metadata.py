"""What stands beside a committed offset: whether its holder gave the partition back in order, and which
records beyond the offset are finished (design 4.8).

`1h` or `1r` (version, then held or released), then the bitmap in base64: bit i of it, the lowest of each
byte first, is the record at offset + 1 + i. A broker takes 4,096 bytes (offset.metadata.max.bytes).
"""

import binascii
from base64 import b64decode, b64encode
from collections.abc import Collection
from dataclasses import dataclass

# 2,048 bytes, 2,732 in base64. Beyond it a reader waits for its slowest record.
MOST_FINISHED = 16_384

_HELD = "1h"
_RELEASED = "1r"


@dataclass(frozen=True, slots=True)
class CommitMetadata:
    """`finished` holds offsets above the committed one, which itself is not finished."""

    released: bool
    finished: frozenset[int] = frozenset()


# Of an offset that somebody else committed: an operator's reset, another version.
UNKNOWN = CommitMetadata(released=False)


def encode(watermark: int, finished: Collection[int], *, released: bool) -> str:
    """The metadata of a commit at `watermark`. ValueError for an offset that the bitmap does not reach."""
    mark = _RELEASED if released else _HELD
    if not finished:
        return mark
    first = watermark + 1
    last = max(finished) - first
    if last >= MOST_FINISHED or min(finished) < first:
        raise ValueError(
            f"finished records beyond {watermark} do not fit into the commit's metadata"
        )
    bits = bytearray((last >> 3) + 1)
    for offset in finished:
        bits[offset - first >> 3] |= 1 << (offset - first & 7)
    return mark + b64encode(bits).decode()


def decode(watermark: int, metadata: str | None) -> CommitMetadata:
    """The other way. What is not ours reads as held, with nothing finished beyond: the safe side."""
    mark, bitmap = (metadata or "")[:2], (metadata or "")[2:]
    if mark not in (_HELD, _RELEASED):
        return UNKNOWN
    try:
        bits = b64decode(bitmap, validate=True)
    except (binascii.Error, ValueError):
        return UNKNOWN
    if len(bits) > MOST_FINISHED // 8:
        return UNKNOWN
    first = watermark + 1
    finished = frozenset(
        first + (index << 3) + bit
        for index, byte in enumerate(bits)
        if byte
        for bit in range(8)
        if byte >> bit & 1
    )
    return CommitMetadata(mark == _RELEASED, finished)
