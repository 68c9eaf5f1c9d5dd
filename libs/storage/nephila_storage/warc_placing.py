"""What every WARC store does with a capture: gzip members of its records, their keys, their index lines.

Pure: where the bytes go is the caller's. A storage key is "object:offset:length".
"""

import re
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nephila_storage.cdxj import cdxj_line
from nephila_storage.gzip_member import compressed_member, stored_member
from nephila_storage.page_store import Capture, NothingStored, Stored, StoredRecord
from nephila_storage.warc_records import RECORD_END, WarcRecord, parsed, records_of

_GZIP_WINDOW = 31
_KEY = re.compile(r"([^:]+):([0-9]{1,15}):([0-9]{1,10})")
_INDEXED = ("response", "revisit")


@dataclass(frozen=True, slots=True)
class Member:
    """A record as it is written. `digest` is its payload's, "-" without one."""

    kind: str
    digest: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Placed:
    """Keys of a capture's records, and what its index says of them: whole lines, in no order."""

    stored: Stored
    index_lines: bytes


def member_of(record: WarcRecord) -> Member:
    if record.packed:
        data = stored_member(record.head, record.rest + RECORD_END)
    else:
        data = compressed_member(record.head + record.rest + RECORD_END)
    return Member(record.kind, record.digest, data)


def members_of(capture: Capture) -> list[Member]:
    """The members of a capture, its own record first."""
    return [member_of(record) for record in records_of(capture)]


def placed(
    capture: Capture, members: Sequence[Member], object_name: str, append: Callable[[bytes], int]
) -> Placed:
    """Appends the members; `append` returns the offset. The index names the object without its folder."""
    file_name = object_name.rpartition("/")[2]
    keys: list[str] = []
    text_key = ""
    lines = b""
    for member in members:
        offset, length = append(member.data), len(member.data)
        keys.append(f"{object_name}:{offset}:{length}")
        if member.kind in _INDEXED:
            lines += _index_line(capture, member, (file_name, offset, length))
        elif member.kind == "conversion":
            text_key = keys[-1]
    return Placed(Stored(keys[0], text_key), lines)


def _index_line(capture: Capture, member: Member, place: tuple[str, int, int]) -> bytes:
    mime = "warc/revisit" if member.kind == "revisit" else capture.mime_type or "unk"
    return cdxj_line(
        capture.url,
        capture.exchange.fetched_at_unix_ms,
        mime=mime,
        status=capture.exchange.status,
        digest=member.digest,
        place=place,
    )


def place_of(storage_key: str) -> tuple[str, int, int]:
    """Object, offset and length. Raises NothingStored for what is no key."""
    match = _KEY.fullmatch(storage_key)
    if match is None:
        raise NothingStored(storage_key)
    return match[1], int(match[2]), int(match[3])


def unpacked(member: bytes, storage_key: str) -> StoredRecord:
    """The record in a member. Raises NothingStored for other bytes, cut or damaged ones too."""
    try:
        return parsed(zlib.decompress(member, _GZIP_WINDOW))
    except (zlib.error, KeyError, ValueError):
        raise NothingStored(storage_key) from None
