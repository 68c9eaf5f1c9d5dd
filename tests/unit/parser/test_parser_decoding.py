"""Content codings are undone within limits, and what came before a break is kept."""

import gzip
import resource
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from nephila_contracts.v1.page_pb2 import (
    CODING_BROTLI,
    CODING_DEFLATE,
    CODING_GZIP,
    CODING_UNSPECIFIED,
    CODING_ZSTD,
)
from nephila_parser.decoding import Decoded, decode, decoded_limit
from nephila_parser.page import ParseLimits
from nephila_testkit import shared_data

LIMIT = 10_000_000
GOOD = [
    ("html-gzip.bin", CODING_GZIP),
    ("html-br.bin", CODING_BROTLI),
    ("html-zlibdeflate.bin", CODING_DEFLATE),
    ("html-rawdeflate.bin", CODING_DEFLATE),
    ("html-zstd-static-content-size.bin", CODING_ZSTD),
    ("html-zstd-static-no-content-size.bin", CODING_ZSTD),
    ("html-zstd-streaming-no-content-size.bin", CODING_ZSTD),
]
BOMBS = [
    ("bomb-gzip.bin", CODING_GZIP),
    ("bomb-deflate.bin", CODING_DEFLATE),
    ("bomb-br.bin", CODING_BROTLI),
    ("bomb-zstd.bin", CODING_ZSTD),
]
PACKERS: dict[int, Callable[[bytes], bytes]] = {
    CODING_UNSPECIFIED: bytes,
    CODING_GZIP: gzip.compress,
    CODING_DEFLATE: zlib.compress,
    CODING_BROTLI: brotli.compress,
    CODING_ZSTD: zstandard.ZstdCompressor(level=1).compress,
}


@pytest.mark.parametrize(("name", "coding"), GOOD)
def test_every_coding_gives_the_page_whole(name: str, coding: int) -> None:
    decoded = decode(shared_data.path(f"http-compression/{name}").read_bytes(), coding, LIMIT)
    assert not decoded.cut
    assert decoded.data.rstrip().endswith(b"</html>")


@pytest.mark.parametrize(("name", "coding"), BOMBS)
def test_a_bomb_is_stopped_at_the_limit(name: str, coding: int) -> None:
    body = shared_data.path(f"http-compression/{name}").read_bytes()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    decoded = decode(body, coding, LIMIT)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert decoded.cut
    assert len(decoded.data) == LIMIT
    # The limit, and what the decoders themselves hold.
    assert grown_kb < (LIMIT + 32_000_000) // 1000


def test_a_gibibyte_of_zstd_costs_no_more_than_the_limit() -> None:
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    bomb = b"".join([packer.compress(b"\0" * (1 << 20)) for _ in range(256)] + [packer.flush()])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    decoded = decode(bomb, CODING_ZSTD, LIMIT)
    grown_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert len(decoded.data) == LIMIT
    assert grown_kb < (LIMIT + 32_000_000) // 1000


def test_a_ratio_that_no_page_has_ends_the_decoding_early() -> None:
    limits = ParseLimits()
    assert decoded_limit(34, LIMIT, limits) == 1_000_000
    assert decoded_limit(5_000, LIMIT, limits) == 5_000_000
    assert decoded_limit(20_000, LIMIT, limits) == LIMIT


@given(
    data=st.binary(max_size=2000),
    coding=st.sampled_from(sorted(PACKERS)),
)
def test_what_was_packed_comes_out_again(data: bytes, coding: int) -> None:
    assert decode(PACKERS[coding](data), coding, LIMIT) == Decoded(data, False)


@given(
    data=st.binary(min_size=100, max_size=3000),
    coding=st.sampled_from(sorted(PACKERS)[1:]),
    kept=st.floats(0.0, 0.99),
)
def test_a_body_that_breaks_off_gives_its_beginning_and_says_so(
    data: bytes, coding: int, kept: float
) -> None:
    packed = PACKERS[coding](data)
    decoded = decode(packed[: int(len(packed) * kept)], coding, LIMIT)
    assert decoded.cut
    assert data.startswith(decoded.data)


@given(data=st.binary(max_size=300), coding=st.sampled_from(sorted(PACKERS)))
def test_no_bytes_raise(data: bytes, coding: int) -> None:
    decode(data, coding, 1000)
    decode(b"\x1f\x8b\x08\x1e" + data, coding, 1000)
    decode(b"\x28\xb5\x2f\xfd" + data, coding, 1000)


@given(data=st.binary(min_size=20, max_size=500), coding=st.sampled_from(sorted(PACKERS)))
def test_a_limit_within_the_body_cuts_it_there(data: bytes, coding: int) -> None:
    assert decode(PACKERS[coding](data), coding, len(data) - 1) == Decoded(data[:-1], True)
    assert decode(PACKERS[coding](data), coding, len(data)) == Decoded(data, False)


def test_all_members_of_a_gzip_file_count_and_padding_does_not() -> None:
    packed = gzip.compress(b"one ") + gzip.compress(b"two") + b"\0" * 100
    assert decode(packed, CODING_GZIP, LIMIT) == Decoded(b"one two", False)


def test_all_frames_of_zstd_count() -> None:
    pack = PACKERS[CODING_ZSTD]
    assert decode(pack(b"one ") + pack(b"two"), CODING_ZSTD, LIMIT) == Decoded(b"one two", False)


def test_a_gzip_that_lost_its_end_gives_what_came() -> None:
    body = shared_data.path("http-compression/unexpected-eof.gz").read_bytes()
    expected = shared_data.path("http-compression/unexpected-eof-output.txt").read_bytes()
    decoded = decode(body, CODING_GZIP, LIMIT)
    assert decoded.cut
    # The expected text was saved as UTF-8.
    assert decoded.data.decode("latin-1") == expected.decode("utf-8")


@pytest.mark.parametrize("name", ["truncated-crc-error.gz", "truncated-crc-error-short.gz"])
def test_a_broken_checksum_costs_nothing_of_the_text(name: str) -> None:
    body = shared_data.path(f"http-compression/{name}").read_bytes()
    decoded = decode(body, CODING_GZIP, LIMIT)
    assert decoded.cut
    assert b"</html>" in decoded.data or len(decoded.data) > 3_000


def test_what_is_not_in_its_coding_gives_nothing() -> None:
    for coding in (CODING_GZIP, CODING_BROTLI, CODING_ZSTD):
        assert decode(b"<html>no coding at all</html>", coding, LIMIT) == Decoded(b"", True)
