"""Which simhashes can be near each other: at most 3 of 64 bits apart leaves one of 4 blocks equal."""

BLOCKS = 4
BLOCK_BITS = 16
_BITS = 64
_MASK = (1 << _BITS) - 1


def rotations(simhash: int) -> list[int]:
    """The simhash once for each block, turned so that the block comes first."""
    return [
        ((simhash << shift) | (simhash >> (_BITS - shift))) & _MASK
        for shift in range(0, _BITS, BLOCK_BITS)
    ]


def block(rotation: int) -> int:
    """The leading block of a rotation."""
    return rotation >> (_BITS - BLOCK_BITS)


def unrotated(rotation: int, index: int) -> int:
    """The simhash of which this is the rotation number `index`."""
    shift = index * BLOCK_BITS
    return ((rotation >> shift) | (rotation << (_BITS - shift))) & _MASK


def distance(one: int, other: int) -> int:
    """Bits that differ."""
    return (one ^ other).bit_count()
