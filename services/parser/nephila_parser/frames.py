"""Frames on the pipe between a parser process and its parent: four bytes of length, then msgpack
(a list of jobs one way, the list of their pages the other)."""

import struct

HEAD = struct.Struct("<I")
# A page of 50 MB and its job; what is longer was not sent by us.
LONGEST = 1 << 27


def framed(payload: bytes) -> bytes:
    return HEAD.pack(len(payload)) + payload
