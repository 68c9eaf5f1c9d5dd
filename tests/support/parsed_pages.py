"""Messages and stores for tests of what follows the parser."""

import gzip
import hashlib
from collections.abc import Sequence
from pathlib import Path

import zstandard
from nephila_contracts.v1 import reason_pb2
from nephila_contracts.v1.fetch_pb2 import Attempt
from nephila_contracts.v1.page_pb2 import (
    CODING_GZIP,
    CODING_ZSTD,
    Body,
    Exchange,
    PageFetched,
    PageJudged,
    PageParsed,
)
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime import Handled, Record
from nephila_runtime.database import Database
from nephila_storage.append_file import sync_inline
from nephila_storage.file_warc_store import FILE_BYTES, FileWarcStore
from nephila_urls import CanonicalUrl, host_of, path_of, site_key

FIRST_MS = 1_700_000_000_000
REQUEST = "GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: Nephila\r\n\r\n"
_RESPONSE = "HTTP/1.1 {status} Told\r\nContent-Type: text/html\r\n{fields}\r\n"


def attempt_of(url: str, sequence: int, kind: int = 0) -> Attempt:
    canonical = CanonicalUrl(url)
    return Attempt(
        url=url,
        site_key=site_key(canonical),
        host=host_of(canonical),
        attempt_id=f"0.{sequence}",
        sequence=sequence,
        kind=kind,  # pyright: ignore[reportArgumentType]
        depth=2,
    )


def exchange_of(url: str, sequence: int, status: int, fields: str) -> Exchange:
    canonical = CanonicalUrl(url)
    return Exchange(
        status=status,
        request_head=REQUEST.format(path=path_of(canonical), host=host_of(canonical)).encode(),
        response_head=_RESPONSE.format(status=status, fields=fields).encode(),
        ip="127.0.0.1",
        fetched_at_unix_ms=FIRST_MS + sequence * 1000 + 7,
        content_type="text/html",
        etag='"v1"',
    )


def page(
    url: str,
    content: bytes,
    sequence: int = 1,
    *,
    simhash: int = 0,
    gzipped: bool = True,
    reason: Reason = reason_pb2.REASON_FETCHED,
    status: int = 200,
    kind: int = 0,
) -> PageParsed:
    """An attempt that was answered with content; served gzipped, or plain with the fetcher's zstd."""
    if gzipped:
        data = gzip.compress(content, 6, mtime=0)
        body = Body(data=data, coding=CODING_GZIP, served_coding=CODING_GZIP)
        fields = "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"
    else:
        body = Body(data=zstandard.compress(content, 1), coding=CODING_ZSTD)
        fields = f"Content-Length: {len(content)}\r\n"
    return PageParsed(
        attempt=attempt_of(url, sequence, kind),
        exchange=exchange_of(url, sequence, status, fields),
        body=body,
        reason=reason,
        content_hash=hashlib.sha256(content).digest(),
        simhash=simhash,
        mime_type="text/html",
        title="A title",
        language="en",
        text_zstd=zstandard.compress(b"the text of " + content[:100]),
        out_links=["https://other.example/"],
        body_bytes=len(content),
    )


def answered(
    url: str, reason: Reason, status: int, sequence: int = 1, location: str = ""
) -> PageParsed:
    """An attempt that was answered without content."""
    told = exchange_of(url, sequence, status, f"Location: {location}\r\n" if location else "")
    told.location = location
    return PageParsed(attempt=attempt_of(url, sequence), exchange=told, reason=reason)


def unanswered(url: str, reason: Reason, sequence: int = 1) -> PageParsed:
    """An attempt that had no answer."""
    return PageParsed(attempt=attempt_of(url, sequence), reason=reason)


def records(messages: Sequence[PageParsed], first_offset: int = 0) -> list[Record[PageParsed]]:
    return [
        Record(0, first_offset + index, message.attempt.site_key, message)
        for index, message in enumerate(messages)
    ]


def judged(handled: Handled) -> list[PageJudged]:
    return [emit.message for emit in handled.emits if isinstance(emit.message, PageJudged)]


def fetched(handled: Handled) -> list[PageFetched]:
    return [emit.message for emit in handled.emits if isinstance(emit.message, PageFetched)]


def warc_store(folder: Path, database: Database, file_bytes: int = FILE_BYTES) -> FileWarcStore:
    return FileWarcStore(folder / "warc", database, file_bytes=file_bytes, sync=sync_inline)
