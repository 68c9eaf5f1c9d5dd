"""Encodings as the WHATWG standards have them."""

import json

import pytest
from nephila_parser.encodings import (
    FALLBACK,
    decode_text,
    encoding_of_label,
    guessed_encoding,
    html_encoding,
    xml_encoding,
)
from nephila_testkit import shared_data

# Encodings that the standard does not have: nobody can be expected to find them.
NOT_IN_THE_STANDARD = {
    "EUC-TW", "IBM855", "Johab", "UTF-32", "UTF-32BE", "UTF-32LE", "iso-2022-kr",
}  # fmt: skip


@pytest.mark.parametrize("name", ["tests1", "tests2", "test-yahoo-jp"])
def test_a_page_s_own_word_is_found_as_browsers_find_it(name: str) -> None:
    text = shared_data.path(f"html-encoding/html5lib/{name}.dat").read_bytes()
    wrong: list[tuple[bytes, str, str]] = []
    cases = (b"\n" + text).split(b"\n#data\n")[1:]
    assert cases
    for case in cases:
        data, _, label = case.rpartition(b"\n#encoding\n")
        expected = encoding_of_label(label.strip().decode())
        found = html_encoding(data, "") or FALLBACK
        if found != expected:
            wrong.append((data[:200], expected, found))
    assert wrong == []


def test_real_pages_are_read_in_their_encoding() -> None:
    folder = shared_data.path("html-encoding/chardet-pages")
    right = total = 0
    for line in (folder / "INDEX.jsonl").read_text().splitlines():
        case = json.loads(line)
        if case["encoding_dir"] in NOT_IN_THE_STANDARD:
            continue
        body = (folder / case["file"]).read_bytes()
        said = xml_encoding(body, "") if case["file"].endswith("xml") else html_encoding(body, "")
        total += 1
        right += _reads_the_same(body, said or guessed_encoding(body), case["encoding_dir"])
    # Measured: 184 of 191; of the rest, four are UTF-16 without a mark, which browsers do not guess either.
    assert total > 180
    assert right / total > 0.95


def _reads_the_same(body: bytes, found: str, folder: str) -> bool:
    names = folder.split("-")
    labels = ["-".join(names[:end]) for end in range(len(names), 0, -1)]
    labels = [
        {"CP932": "shift_jis", "CP949": "euc-kr", "MacCyrillic": "x-mac-cyrillic"}.get(n, n)
        for n in labels
    ]
    expected = next((name for label in labels if (name := encoding_of_label(label))), "")
    return found == expected or decode_text(body, found) == decode_text(body, expected or "utf-8")


@pytest.mark.parametrize(
    ("body", "http_charset", "expected"),
    [
        (b"\xef\xbb\xbf<meta charset=koi8-r>", "latin1", "utf-8"),
        (b"\xff\xfe<\0", "utf-8", "utf-16le"),
        (b"<meta charset=koi8-r>", "latin1", "windows-1252"),
        (b"<meta charset=koi8-r>", "no-such", "koi8-r"),
        (b"<meta charset=utf-16>", "", "utf-8"),
        (b"<meta charset=x-user-defined>", "", "windows-1252"),
        (b"<?xml version='1.0' encoding='shift_jis'?><html>", "", "shift_jis"),
        (b"<!-- <meta charset=koi8-r> --><p>", "", ""),
        (b"<meta charset=koi8-r", "", ""),
        (b"<p>nothing", "", ""),
    ],
)
def test_mark_before_header_before_meta(body: bytes, http_charset: str, expected: str) -> None:
    assert html_encoding(body, http_charset) == expected


def test_what_says_nothing_and_is_utf_8_is_read_as_utf_8() -> None:
    assert guessed_encoding("naïve café".encode()) == "utf-8"
    assert guessed_encoding(b"plain ascii") == "utf-8"


def test_invalid_bytes_never_raise() -> None:
    for charset in ("utf-8", "windows-1252", "gbk", "big5", "euc-jp", "iso-2022-jp", "utf-16le"):
        assert isinstance(decode_text(bytes(range(256)), charset), str)
