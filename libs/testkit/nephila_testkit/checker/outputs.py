"""What a crawl left in DIR, read by readers that the product does not use for writing."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from warcio.archiveiterator import ArchiveIterator

_BLOCK = 1 << 16


@dataclass(slots=True)
class StoredRecord:
    """One WARC record of a URL."""

    kind: str
    url: str
    # "file:offset:length".
    key: str
    # SHA-256 of the payload without content coding, in hexadecimal; for responses only.
    sha256: str = ""
    status: int = 0
    truncated: str = ""
    refers_to: str = ""
    profile: str = ""
    # What is wrong with it; empty when nothing is.
    fault: str = ""


@dataclass(slots=True)
class Event:
    """One line of page_fetched.ndjson."""

    url: str
    verdict: str
    content_hash: str
    storage_key: str
    attempt_id: str
    duplicate_of: str


@dataclass(slots=True)
class Outputs:
    """All that the checker looks at in DIR."""

    records: list[StoredRecord] = field(default_factory=list[StoredRecord])
    events: list[Event] = field(default_factory=list[Event])
    # Files or lines that cannot be read.
    unreadable: list[str] = field(default_factory=list[str])

    def responses(self) -> Iterator[StoredRecord]:
        return (record for record in self.records if record.kind == "response")

    def kinds(self) -> Counter[str]:
        return Counter(record.kind for record in self.records)


def read_outputs(directory: Path) -> Outputs:
    """Everything below `directory/warc` and `directory/page_fetched.ndjson`."""
    found = Outputs()
    for path in sorted((directory / "warc").rglob("*.warc.gz")):
        try:
            found.records.extend(_records(path))
        except Exception as error:  # warcio raises what its input makes it raise.
            found.unreadable.append(f"{path.name}: {error!r}")
    events = directory / "page_fetched.ndjson"
    if events.exists():
        for number, line in enumerate(events.read_text(encoding="utf-8").splitlines(), 1):
            try:
                found.events.append(_event(json.loads(line)))
            except (ValueError, KeyError) as error:
                found.unreadable.append(f"{events.name} line {number}: {error!r}")
    return found


def _event(told: dict[str, Any]) -> Event:
    return Event(
        url=told["url"],
        verdict=str(told["verdict"]).lower().removeprefix("verdict_"),
        content_hash=told.get("content_hash", ""),
        storage_key=told.get("storage_key", ""),
        attempt_id=str(told["attempt_id"]),
        duplicate_of=told.get("duplicate_of", ""),
    )


def _records(path: Path) -> Iterator[StoredRecord]:
    with path.open("rb") as stream:
        archive = ArchiveIterator(stream, check_digests=True)
        for record in archive:
            told = _record(record)
            # Length and digests are known once the record is read to its end, which this does.
            offset, length = archive.get_record_offset(), archive.get_record_length()
            told.key = f"{path.name}:{offset}:{length}"
            told.fault = _fault(record)
            if told.url:
                yield told


def _record(record: Any) -> StoredRecord:
    field_of = record.rec_headers.get_header
    told = StoredRecord(
        kind=record.rec_type,
        url=field_of("WARC-Target-URI") or "",
        key="",
        truncated=field_of("WARC-Truncated") or "",
        refers_to=field_of("WARC-Refers-To-Target-URI") or "",
        profile=field_of("WARC-Profile") or "",
    )
    if told.kind == "response" and record.http_headers is not None:
        told.status = int(record.http_headers.get_statuscode() or 0)
    told.sha256 = _digest(record)
    return told


def _fault(record: Any) -> str:
    if getattr(record.raw_stream, "limit", 0):
        return "the record breaks off"
    wrong = record.digest_checker is not None and record.digest_checker.passed is False
    return "a WARC digest does not fit" if wrong else ""


def _digest(record: Any) -> str:
    """Reads the record to its end."""
    stream = record.content_stream() if record.rec_type == "response" else record.raw_stream
    digest = sha256()
    while block := stream.read(_BLOCK):
        digest.update(block)
    return digest.hexdigest() if record.rec_type == "response" else ""
