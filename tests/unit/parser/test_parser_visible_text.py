"""The text that people marked as a page's own is in the text that the parser sees."""

import base64
import gzip
import json
import re
from collections.abc import Iterator
from typing import Any

import zstandard
from nephila_parser.block_marks import mark_blocks
from nephila_parser.content_types import parse_page
from nephila_parser.page import ParseJob, ParseLimits
from nephila_parser.visible_text import lines_of, one_line
from nephila_testkit import shared_data

_WORD = re.compile(r"\w+")


def text_of(html: bytes) -> str:
    page = parse_page(ParseJob("http://a.example/", 0, 0, "text/html", "", "", html), ParseLimits())
    return zstandard.decompress(page.text_zstd).decode() if page.text_zstd else ""


def _rows(name: str) -> Iterator[dict[str, Any]]:
    packed = shared_data.path(f"extraction/{name}").read_bytes()
    for line in gzip.decompress(packed).split(b"\n"):
        # One row of the file is broken in two by a line end.
        if line.startswith(b"{") and line.endswith(b"}"):
            yield json.loads(line)


def _html(row: dict[str, Any]) -> bytes:
    return base64.b64decode(row["html_b64"]) if "html_b64" in row else row["html"].encode()


def _shingles(text: str) -> set[tuple[str, ...]]:
    words = _WORD.findall(text)
    return set(zip(words, words[1:], words[2:], words[3:], strict=False))


def test_nearly_every_four_words_of_an_article_stand_together_in_its_page_s_text() -> None:
    found = asked = 0
    for row in _rows("article_extraction_benchmark.jsonl.gz"):
        gold = _shingles(row["article_body"])
        found += len(gold & _shingles(text_of(_html(row))))
        asked += len(gold)
    assert asked > 20_000
    # Measured: 0.996; the rest stands around what the page shows between paragraphs.
    assert found / asked > 0.99


def test_sentences_that_must_appear_do() -> None:
    found = asked = 0
    for row in _rows("trafilatura_eval.jsonl.gz"):
        text = " ".join(text_of(_html(row)).split())
        for sentence in row["with"]:
            asked += 1
            found += " ".join(sentence.split()) in text
    assert asked > 200
    # Measured: 0.98; the rest are ruby annotations and no-break spaces that the lists write otherwise.
    assert found / asked > 0.97


def test_marks_stand_before_the_tags_of_blocks_whatever_their_case() -> None:
    assert (
        mark_blocks(b"a<p>b<B>c</b><BR/>d</Div >e<span>")
        == b"a\f<p>b<B>c</b>\f<BR/>d\f</Div >e<span>"
    )
    assert mark_blocks(b"<font><mark><del><sub><pro><h7><link><img>") == (
        b"<font><mark><del><sub><pro><h7><link><img>"
    )
    assert mark_blocks(b"<footer><main><details><summary><h6>") == (
        b"\f<footer><main><details><summary><h6>"
    )
    assert mark_blocks(b"<p>a</p> <p>bc") == b"\f<p>a\f</p> \f<p>bc"


def test_short_and_cut_pages_are_marked_without_harm() -> None:
    for page in (b"", b"<", b"<p", b"</p", b"<p>", b"<div", b"</di", b"<<<<<", b"</</</p>"):
        assert mark_blocks(page).replace(b"\f", b"") == page


def test_blanks_run_together_and_empty_lines_go() -> None:
    assert lines_of("\f a  b\n\tc\u00a0d \f\f \n \fe\u3000f\f", 100) == "a b c d\ne f"
    assert lines_of("abc\fdef", 5) == "abc\nd"
    assert one_line("  a\f b\n", 10) == "a b"
    assert one_line(None, 10) == ""
