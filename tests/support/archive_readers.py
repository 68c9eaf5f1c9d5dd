"""Independent readers of WARC files: warcio's own check, and FastWARC."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fastwarc.warc import ArchiveIterator
from warcio.checker import Checker


@dataclass(frozen=True)
class ReadRecord:
    """A record as FastWARC read it. `payload` is what follows the HTTP head."""

    kind: str
    fields: dict[str, str]
    status: int
    payload: bytes
    offset: int


@dataclass(frozen=True)
class _CheckOptions:
    inputs: list[str]
    verbose: bool = False


def warcio_accepts(path: Path) -> bool:
    """What `warcio check` says of a file."""
    return Checker(_CheckOptions([str(path)])).process_all() == 0


def fastwarc_records(path: Path) -> Iterator[ReadRecord]:
    """Every record, its payload digest verified where it has one."""
    with path.open("rb") as stream:
        for record in ArchiveIterator(stream, parse_http=True):
            kind = record.headers["WARC-Type"]
            if kind == "response":
                assert record.verify_payload_digest()
            yield ReadRecord(
                kind,
                dict(record.headers.to_dict()),
                record.http_headers.status_code or 0 if record.is_http_parsed else 0,
                record.reader.read(),
                record.stream_pos,
            )
