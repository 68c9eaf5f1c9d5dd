"""WARC/1.1 records as bytes: pure, and the same for the same capture.

ISO 28500:2017. Digests are SHA-256 in hexadecimal over the payload as it stands in the record; record
ids are name-based UUIDs of the attempt, so that a repeat is recognised.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from nephila_contracts.v1.page_pb2 import (
    TRUNCATION_DISCONNECT,
    TRUNCATION_LENGTH,
    TRUNCATION_TIME,
    Exchange,
    Truncation,
)
from xxhash import xxh3_128_hexdigest

from nephila_storage.http_head import archived_head
from nephila_storage.page_store import (
    Capture,
    Note,
    Payload,
    Response,
    Revisit,
    RevisitProfile,
    StoredRecord,
)

RECORD_END = b"\r\n\r\n"
_TRUNCATED: dict[Truncation, str] = {
    TRUNCATION_LENGTH: "length",
    TRUNCATION_TIME: "time",
    TRUNCATION_DISCONNECT: "disconnect",
}


@dataclass(frozen=True, slots=True)
class WarcRecord:
    """A record: `head` (WARC fields and what of the block compresses), then `rest`, then RECORD_END.

    `packed` says that deflating `rest` gains nothing. `digest` is the payload's, "-" without one.
    """

    kind: str
    head: bytes
    rest: bytes
    packed: bool
    digest: str


def records_of(capture: Capture) -> list[WarcRecord]:
    """The records of a capture, its own first."""
    content = capture.content
    if isinstance(content, Note):
        records = [_note(capture, content, concurrent=False)]
    elif isinstance(content, Revisit):
        records = [_revisit(capture, content), *_request(capture, "revisit")]
    else:
        records = [_response(capture, content), *_request(capture, "response")]
    if capture.note:
        records.append(_note(capture, capture.note, concurrent=True))
    if capture.text:
        records.append(_conversion(capture))
    return records


def warcinfo(file_name: str, software: str, date_ms: int) -> WarcRecord:
    """The first record of a file."""
    block = (
        f"software: {software}\r\nformat: WARC File Format 1.1\r\n"
        "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
        "robots: obey\r\n"
    ).encode()
    fields = (
        f"WARC-Type: warcinfo\r\nWARC-Record-ID: {_record_id('warcinfo', file_name, date_ms)}\r\n"
        f"WARC-Date: {warc_date(date_ms)}\r\nWARC-Filename: {file_name}\r\n"
        "Content-Type: application/warc-fields\r\n"
    )
    return _record("warcinfo", fields, block)


def _response(capture: Capture, content: Response) -> WarcRecord:
    payload = content.payload
    exchange = capture.exchange
    head = archived_head(_served_head(exchange), len(payload.data), decoded=payload.decoded)
    digest = digest_text(payload.digest)
    fields = _fields(capture, "response") + f"WARC-Payload-Digest: {digest}\r\n"
    if exchange.truncation:
        fields += f"WARC-Truncated: {_TRUNCATED[exchange.truncation]}\r\n"
    # What a page's bytes made of a type must not make a field of ours.
    if capture.mime_type.isprintable() and capture.mime_type:
        fields += f"WARC-Identified-Payload-Type: {capture.mime_type}\r\n"
    fields += "Content-Type: application/http;msgtype=response\r\n"
    return _record("response", fields, head, payload, digest)


def _revisit(capture: Capture, content: Revisit) -> WarcRecord:
    original = content.original
    digest = digest_text(original.payload_digest)
    # Replay puts this head before the original's payload, so its Content-Length stays.
    head = archived_head(_served_head(capture.exchange), None, decoded=False)
    fields = _fields(capture, "revisit") + (
        f"WARC-Profile: {content.profile}\r\n"
        f"WARC-Refers-To-Target-URI: {original.url}\r\n"
        f"WARC-Refers-To-Date: {warc_date(original.fetched_at_ms)}\r\n"
    )
    if content.profile is RevisitProfile.IDENTICAL_PAYLOAD:
        fields += f"WARC-Payload-Digest: {digest}\r\n"
    fields += "Content-Type: application/http;msgtype=response\r\n"
    return _record("revisit", fields, head, digest=digest)


def _served_head(exchange: Exchange) -> bytes:
    return exchange.response_head or b"HTTP/1.1 %d \r\n\r\n" % exchange.status


def _request(capture: Capture, of: str) -> list[WarcRecord]:
    if not capture.exchange.request_head:
        return []
    fields = _fields(capture, "request") + (
        f"WARC-Concurrent-To: {_capture_id(of, capture)}\r\n"
        "Content-Type: application/http;msgtype=request\r\n"
    )
    return [_record("request", fields, capture.exchange.request_head)]


def _note(capture: Capture, note: Note, *, concurrent: bool) -> WarcRecord:
    block = "".join(f"{name}: {value}\r\n" for name, value in note.fields).encode()
    fields = _fields(capture, "metadata")
    if concurrent:
        fields += f"WARC-Concurrent-To: {_capture_id('response', capture)}\r\n"
    return _record("metadata", fields + "Content-Type: application/warc-fields\r\n", block)


def _conversion(capture: Capture) -> WarcRecord:
    fields = _fields(capture, "conversion")
    if isinstance(capture.content, Response):
        fields += f"WARC-Refers-To: {_capture_id('response', capture)}\r\n"
    return _record(
        "conversion", fields + "Content-Type: text/plain;charset=utf-8\r\n", capture.text
    )


def _fields(capture: Capture, kind: str) -> str:
    exchange = capture.exchange
    address = f"WARC-IP-Address: {exchange.ip}\r\n" if exchange.ip and kind != "conversion" else ""
    return (
        f"WARC-Type: {kind}\r\nWARC-Record-ID: {_capture_id(kind, capture)}\r\n"
        f"WARC-Date: {warc_date(exchange.fetched_at_unix_ms)}\r\n"
        f"WARC-Target-URI: {capture.url}\r\n{address}"
    )


def _record(
    kind: str, fields: str, block: bytes, payload: Payload | None = None, digest: str = "-"
) -> WarcRecord:
    rest = payload.data if payload else b""
    head = f"WARC/1.1\r\n{fields}Content-Length: {len(block) + len(rest)}\r\n\r\n".encode() + block
    return WarcRecord(kind, head, rest, payload is not None and payload.packed, digest)


def _capture_id(kind: str, capture: Capture) -> str:
    name = f"{capture.url} {capture.attempt_id}"
    return _record_id(kind, name, capture.exchange.fetched_at_unix_ms)


def _record_id(kind: str, name: str, date_ms: int) -> str:
    """RFC 9562 5.8: version 8 is a UUID of the maker's own hash, here XXH3-128."""
    digits = xxh3_128_hexdigest(f"{kind} {date_ms} {name}".encode())
    variant = "89ab"[int(digits[16], 16) & 3]
    return (
        f"<urn:uuid:{digits[:8]}-{digits[8:12]}-8{digits[13:16]}"
        f"-{variant}{digits[17:20]}-{digits[20:]}>"
    )


def digest_text(digest: bytes) -> str:
    """A SHA-256 as WARC and CDXJ write it. Hexadecimal: what sha256sum prints, and every reader takes it."""
    return f"sha256:{digest.hex()}"


def warc_date(wall_ms: int) -> str:
    """WARC 1.1, 5.4: UTC, with a fraction."""
    return f"{_second(wall_ms // 1000)}.{wall_ms % 1000:03}Z"


def cdxj_timestamp(wall_ms: int) -> str:
    """14 digits, UTC."""
    return "".join(filter(str.isdigit, _second(wall_ms // 1000)))


@lru_cache(maxsize=1024)
def _second(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%S")


def parsed(record: bytes) -> StoredRecord:
    """A record of ours, unpacked, in its parts."""
    warc_head, _, rest = record.partition(RECORD_END)
    fields = dict(
        line.split(": ", 1) for line in warc_head.decode().split("\r\n")[1:] if ": " in line
    )
    block = rest[: int(fields["Content-Length"])]
    if not fields["Content-Type"].startswith("application/http"):
        return StoredRecord(fields, b"", block)
    http_head, _, payload = block.partition(RECORD_END)
    return StoredRecord(fields, http_head + RECORD_END, payload)
