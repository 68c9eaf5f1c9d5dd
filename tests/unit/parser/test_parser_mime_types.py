"""Content-Type fields are read as the standard reads them, and no binary reaches a text parser."""

import gzip
import json
from typing import Any

import pytest
from nephila_parser.encodings import encoding_of_label
from nephila_parser.mime_sniffing import sniff, xml_root
from nephila_parser.mime_type import parse_mime_type
from nephila_testkit import shared_data


def _cases() -> list[dict[str, Any]]:
    plain = json.loads(shared_data.path("mime-wpt/mime-types.json").read_text("utf-8"))
    generated = shared_data.path("mime-wpt/generated-mime-types.json.gz").read_bytes()
    cases = plain + json.loads(gzip.decompress(generated))
    # Lines of mere text are headings.
    return [case for case in cases if isinstance(case, dict)]


def test_each_field_means_what_the_standard_says() -> None:
    wrong: list[Any] = []
    for case in _cases():
        found = parse_mime_type(case["input"])
        if (str(found) if found else None) != case["output"]:
            wrong.append(case)
    assert wrong == []


def test_each_charset_means_what_the_standard_says() -> None:
    wrong: list[Any] = []
    for case in _cases():
        found = parse_mime_type(case["input"])
        if found and "encoding" in case:
            expected = (case["encoding"] or "").lower()
            if encoding_of_label(found.charset) != expected:
                wrong.append(case)
    assert wrong == []


@pytest.mark.parametrize(
    ("body", "field", "expected"),
    [
        (b"<!DOCTYPE html><p>", "text/html", "text/html"),
        (b"plain words", "text/html", "text/html"),
        (b"", "text/html; charset=x", "text/html"),
        (b"%PDF-1.7 \n", "text/html", "application/pdf"),
        (b"PK\x03\x04....", "text/html", "application/zip"),
        (b"\x89PNG\r\n\x1a\n\0\0", "text/html", "image/png"),
        (b"\xff\xd8\xff\xe0\0", "text/plain", "image/jpeg"),
        (b"\0\1\2\3 binary", "text/html", "application/octet-stream"),
        (b"\0\1\2\3 binary", "text/plain", "application/octet-stream"),
        (b"BMW builds cars", "text/plain", "text/plain"),
        (b"<?xml version='1.0'?><rss version='2.0'>", "text/html", "application/rss+xml"),
        (b"<?xml version='1.0'?><!-- a --><feed xmlns='x'>", "text/html", "application/atom+xml"),
        (b"<?xml version='1.0'?>\n<!DOCTYPE html>\n<html>", "text/html", "application/xhtml+xml"),
        (b"<p>about <rss> feeds", "text/html", "text/html"),
        (b"  <HTML >", "", "text/html"),
        (b"<!-- x --><b>", "", "text/html"),
        (b"<?xml version='1.0'?><urlset>", "", "text/xml"),
        (b"just words", "", "text/plain"),
        (b"\x1f\x8b\x08\0", "", "application/gzip"),
        (b"\x1f\x8b\x08\0", "text/xml", "application/gzip"),
        (b"<html><body>", "application/octet-stream", "text/html"),
        (b"{}", "application/json", "application/json"),
        (b"GIF89a....", "image/gif", "image/gif"),
        (b"\xef\xbb\xbf<!DOCTYPE html>", "nonsense", "text/plain"),
    ],
)
def test_a_body_is_what_its_bytes_and_its_server_say(
    body: bytes, field: str, expected: str
) -> None:
    assert sniff(body, parse_mime_type(field)) == expected


@pytest.mark.parametrize(
    ("body", "root"),
    [
        (b"<urlset>", b"urlset"),
        (b"<?xml version='1.0'?><!-- <feed> --><sit:urlset xmlns:sit='x'>", b"urlset"),
        (b"<!DOCTYPE r [<!ENTITY x 'y'>]><rdf:RDF>", b"rdf"),
        (b"\xff\xfe<\0?\0x\0m\0l\0?\0>\0<\0r\0s\0s\0>\0", b"rss"),
        (b"nothing", b""),
        (b"<!--" * 1000, b""),
    ],
)
def test_the_root_is_found_behind_what_may_precede_it(body: bytes, root: bytes) -> None:
    assert xml_root(body) == root
