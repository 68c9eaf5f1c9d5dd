"""page_fetched as lines of JSON: the public schema, in docs/page_fetched.schema.json."""

from typing import Literal

import msgspec
from nephila_contracts.names import verdict_name
from nephila_contracts.v1.page_pb2 import PageFetched

from nephila_storage.payload import unpacked
from nephila_storage.warc_records import warc_date

# Raised when a field changes its meaning or goes; new fields leave it.
SCHEMA_VERSION = 1


class Directives(msgspec.Struct, frozen=True):
    """What the page asks of robots."""

    noindex: bool
    nofollow: bool
    noarchive: bool
    nosnippet: bool


class PageLine(msgspec.Struct, frozen=True):
    """One line. A text that is absent is empty, as in the message."""

    schema_version: Literal[1]
    url: str
    canonical_url: str
    verdict: str
    duplicate_of: str
    fetched_at: str
    http_status: int
    attempt_id: str
    content_hash: str
    simhash: str
    storage_key: str
    mime_type: str
    language: str
    title: str
    description: str
    directives: Directives
    depth: int
    text: str
    text_key: str
    out_links: list[str]


_encode = msgspec.json.Encoder().encode


def page_line(message: PageFetched) -> bytes:
    """The line of one event, with its newline."""
    asked = message.directives
    line = PageLine(
        SCHEMA_VERSION,
        message.url,
        message.canonical_url,
        verdict_name(message.verdict),
        message.duplicate_of,
        warc_date(message.fetched_at_unix_ms),
        message.http_status,
        message.attempt_id,
        message.content_hash,
        message.simhash,
        message.storage_key,
        message.mime_type,
        message.language,
        message.title,
        message.description,
        Directives(asked.noindex, asked.nofollow, asked.noarchive, asked.nosnippet),
        message.depth,
        unpacked(message.text_zstd).decode(errors="replace") if message.text_zstd else "",
        message.text_key,
        list(message.out_links),
    )
    return _encode(line) + b"\n"
