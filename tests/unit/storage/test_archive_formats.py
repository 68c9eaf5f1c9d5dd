"""The bytes of the archive: heads, keys, members, ids."""

import gzip

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nephila_storage.cdxj import sorted_lines
from nephila_storage.gzip_member import compressed_member, stored_member
from nephila_storage.http_head import archived_head
from nephila_storage.surt import surt
from nephila_storage.warc_records import cdxj_timestamp, warc_date
from nephila_urls import CanonicalUrl

_SESSION = "0123456789abcdefghijklemopqrstuv"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.archive.org/", "org,archive)/"),
        ("https://www12.archive.org/", "org,archive)/"),
        ("http://www2foo.com/", "com,www2foo)/"),
        ("http://archive.org/goo/", "org,archive)/goo"),
        ("http://archive.org/goo/?", "org,archive)/goo"),
        ("http://archive.org/goo/?b&a", "org,archive)/goo?a&b"),
        ("http://archive.org/goo/?a=2&b&a=1", "org,archive)/goo?a=1&a=2&b"),
        ("http://example.com:8080/A//B", "com,example:8080)/a/b"),
        ("http://127.0.0.1:8080/x", "1,0,0,127:8080)/x"),
        ("http://[::1]:8080/x", "[::1]:8080)/x"),
        ("http://host/%25%32%35", "host)/%25"),
        ("http://host/a%2fB%C3%A9", "host)/a/b%c3%a9"),
        ("http://host/mileg/(S(4hqa0555fwsecu455xqckv45))/m.aspx", "host)/mileg/m.aspx"),
        (f"http://a.org/i.php?PHPSESSID={_SESSION}&action=x", "org,a)/i.php?action=x"),
        (f"http://a.org/?o=t&jsessionid={_SESSION}0", f"org,a)/?jsessionid={_SESSION}0&o=t"),
        ("http://a.org/?CFID=1&CFTOKEN=2&dt=3", "org,a)/?dt=3"),
        ("http://v.com/g?&s=Win%20%281%29", "com,v)/g?&s=win%20(1)"),
    ],
)  # fmt: skip
def test_an_index_key_is_the_one_that_pywb_looks_up(url: str, key: str) -> None:
    assert surt(CanonicalUrl(url)) == key


def test_a_head_that_holds_is_kept_to_the_byte() -> None:
    head = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\nContent-Encoding: gzip\r\nX: y\r\n\r\n"
    assert archived_head(head, 5, decoded=False) == head


def test_a_transfer_coding_that_was_taken_off_is_told_under_another_name() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"
    assert archived_head(head, 7, decoded=False) == (
        b"HTTP/1.1 200 OK\r\nX-Crawler-Transfer-Encoding: chunked\r\n"
        b"Content-Encoding: gzip\r\nContent-Length: 7\r\n\r\n"
    )


def test_a_content_coding_that_was_taken_off_is_told_under_another_name() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 3\r\n\r\n"
    assert archived_head(head, 9, decoded=True) == (
        b"HTTP/1.1 200 OK\r\nX-Crawler-Content-Encoding: br\r\n"
        b"X-Crawler-Content-Length: 3\r\nContent-Length: 9\r\n\r\n"
    )


def test_a_payload_that_lies_elsewhere_leaves_the_length_as_served() -> None:
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n"
    assert b"\r\nContent-Length: 5\r\n" in archived_head(head, None, decoded=False)


def test_a_value_that_looks_like_a_field_stays() -> None:
    head = b"HTTP/1.1 200 OK\r\nX: transfer-encoding: chunked\r\n\r\n"
    assert archived_head(head, 0, decoded=False) == head


@pytest.mark.parametrize(
    "head",
    [b"HTTP/1.1 200 OK\nA: b\n\n", b"HTTP/2 200 OK\r\nA: b\r\n\r\n", b"ICY 200 OK\r\nA: b\r\n"],
)
def test_every_head_is_made_one_that_archive_readers_know(head: bytes) -> None:
    assert archived_head(head, 0, decoded=False) == b"HTTP/1.1 200 OK\r\nA: b\r\n\r\n"


@given(st.binary(max_size=2000), st.integers(0, 3), st.integers(-2, 2))
def test_a_member_gives_back_what_was_put_in(head: bytes, blocks: int, odd: int) -> None:
    packed = b"\x55" * max(blocks * 65_535 + odd, 0)
    assert gzip.decompress(stored_member(head, packed)) == head + packed
    assert gzip.decompress(compressed_member(head + packed)) == head + packed


def test_times_are_utc() -> None:
    assert warc_date(1_700_000_000_007) == "2023-11-14T22:13:20.007Z"
    assert cdxj_timestamp(1_700_000_000_007) == "20231114221320"


@given(st.lists(st.binary(max_size=20).map(lambda line: line.replace(b"\n", b"") + b"\n")))
def test_sorting_an_index_keeps_its_length(lines: list[bytes]) -> None:
    joined = b"".join(lines)
    assert len(sorted_lines(joined)) == len(joined)
