"""Where an answer ends: llhttp's own cases, and the same bytes one by one. No socket."""

import asyncio
import base64
import json
import re
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from nephila_contracts.v1.page_pb2 import Truncation
from nephila_fetcher.exchange import Limits, StaleConnection
from nephila_fetcher.http_connection import MAX_INTERIM, Connection
from nephila_testkit import shared_data

_LIMITS = Limits(total=30, connect=10, body_bytes=1_000_000)
_NOT_CUT = Truncation.TRUNCATION_UNSPECIFIED
_BROKE_OFF = Truncation.TRUNCATION_DISCONNECT

# llhttp refuses what follows the answer; we take the answer and drop the connection.
_EXTRA_AFTER_CLOSE = {
    "HTTP/1.1 with keep-alive disabled and 204 status",
    "HTTP/1.1 with keep-alive disabled, content-length",
}
# RFC 9112 2.2 lets a lone LF end a line, http-hostile's headers-lf-only asks for it.
_LONE_LF = {"Only LFs present and no body", "Only LFs present", "No carriage ret"}
# llhttp reads these; we refuse other protocols, HTTP/0.9, and transfer codings that were not asked for.
_WE_REFUSE = {
    "RTSP response",
    "ICE response",
    "HTTP version 0.9",
    "`chunked` before other transfer-encoding",
    "multiple transfer-encoding where chunked is not the last one",
    "`chunkedchunked` transfer-encoding does not enable chunked enconding",
}

# llhttp is told that the request was a HEAD, which we never send.
_ANSWERS_HEAD = "Content-Length reset when no body is received"


class _Wire(asyncio.Transport):
    """A transport that goes nowhere."""

    def __init__(self) -> None:
        super().__init__()
        self.dropped = False

    def write(self, data: Any) -> None:
        return

    def abort(self) -> None:
        self.dropped = True

    def close(self) -> None:
        self.dropped = True


@dataclass(frozen=True)
class _Result:
    status: int = 0
    body: bytes = b""
    truncation: Truncation = _NOT_CUT
    kept: bool = False
    error: str = ""


async def _receive(data: bytes, piece: int, *, closes: bool = True, limits: Limits) -> _Result:
    connection, wire = Connection(), _Wire()
    connection.connection_made(wire)
    answer = connection.ask(b"GET", limits, 30)
    for at in range(0, len(data), piece):
        if wire.dropped:
            break
        connection.data_received(data[at : at + piece])
    kept = connection.reusable and not wire.dropped
    if closes and not wire.dropped:
        connection.connection_lost(None)
    try:
        received = await answer
    except httpx.TransportError as error:
        return _Result(error=type(error).__name__)
    finally:
        connection.abort()
    return _Result(received.status, received.body, received.truncation, kept)


def receive(data: bytes, *, closes: bool = True, limits: Limits = _LIMITS) -> _Result:
    """The answer in `data`; the same whether it comes at once or in single bytes."""
    at_once = asyncio.run(_receive(data, max(len(data), 1), closes=closes, limits=limits))
    byte_by_byte = asyncio.run(_receive(data, 1, closes=closes, limits=limits))
    assert at_once.body == byte_by_byte.body
    assert at_once.error == byte_by_byte.error
    assert at_once.status == byte_by_byte.status
    return at_once


def _cases() -> list[tuple[dict[str, Any], bytes]]:
    with shared_data.path("http-parser-llhttp/cases.jsonl").open() as lines:
        rows = [json.loads(line) for line in lines]
    cases: list[tuple[dict[str, Any], bytes]] = []
    for row in rows:
        if row["meta"].get("type") != "response":
            continue
        data = base64.b64decode(row["bytes_b64"])
        # The bytes lost their last line end where the log tells of one.
        longest = max((int(off) for off in re.findall(r"off=(\d+)", row["log"])), default=0)
        cases.append((row, data + b"\r\n" if longest > len(data) else data))
    return cases


def test_llhttps_responses_are_read_or_refused_as_by_llhttp() -> None:
    cases = _cases()
    assert len(cases) == 76
    for row, data in cases:
        title = row["title"]
        if title == _ANSWERS_HEAD:
            continue
        result = receive(data)
        if title in _EXTRA_AFTER_CLOSE or title in _LONE_LF:
            assert not result.error
            assert not result.kept
        elif title in _WE_REFUSE or row["error"] is not None:
            assert result.error in ("RemoteProtocolError", "ReadError"), title
        elif row["log"].rstrip().endswith("message complete"):
            assert not result.error, title
            assert result.truncation == _NOT_CUT, title
        elif not result.error:
            # The case ends inside a message: what closes the connection decides.
            assert result.truncation in (_NOT_CUT, _BROKE_OFF), title


_OK = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    "fields",
    [
        b"Content-Length: 2\r\nContent-Length: 5\r\n",
        b"Content-Length: 2, 5\r\n",
        b"Content-Length: -1\r\n",
        b"Content-Length: +2\r\n",
        b"Content-Length: abc\r\n",
        b"Content-Length: 99999999999999999999\r\n",
        b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
        b"Transfer-Encoding: banana\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Name with space: x\r\n",
        b"X: a\0b\r\n",
        b"X: 1\r\n" * 201,
        b"X: " + b"a" * 70_000 + b"\r\n",
    ],
)
def test_a_head_in_doubt_is_no_answer(fields: bytes) -> None:
    result = receive(_OK + fields + b"\r\nhello", closes=False)
    assert result.error == "RemoteProtocolError"


@pytest.mark.parametrize(
    "chunks", [b"ZZ\r\nab\r\n", b"-1\r\nab\r\n", b"F" * 17 + b"\r\nab", b"2\r\nabXX0\r\n\r\n"]
)
def test_a_chunk_in_doubt_is_no_answer(chunks: bytes) -> None:
    head = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
    assert receive(head + chunks, closes=False).error == "RemoteProtocolError"


@pytest.mark.parametrize(
    "status_line",
    [b"HTTP/1.1 999 X\r\n", b"HTTP/1.1 000 X\r\n", b"HTTP/1.1 20 X\r\n", b"HTTP/2.0 200 OK\r\n"],
)
def test_a_status_that_is_none_is_no_answer(status_line: bytes) -> None:
    assert receive(status_line + b"Content-Length: 0\r\n\r\n").error == "RemoteProtocolError"


def test_html_without_a_status_line_is_no_page() -> None:
    assert receive(b"<html><body>0.9</body></html>").error == "RemoteProtocolError"


def test_a_whole_answer_leaves_the_connection_to_be_used_again() -> None:
    assert receive(_OK + b"Content-Length: 2\r\n\r\nhi", closes=False).kept
    assert receive(
        _OK + b"Transfer-Encoding: chunked\r\n\r\n0000000A\r\n0123456789\r\n0\r\n\r\n", closes=False
    ) == _Result(200, b"0123456789", _NOT_CUT, kept=True)


@pytest.mark.parametrize(
    "data",
    [
        _OK + b"Content-Length: 2\r\n\r\nhi and more",
        _OK + b"Content-Length: 2\r\n\r\nhi" + _OK + b"Content-Length: 4\r\n\r\nevil",
        b"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 304 Not Modified\r\n\r\nhello",
        _OK + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\njunk",
    ],
)
def test_bytes_after_an_answer_never_become_the_next_one(data: bytes) -> None:
    result = receive(data, closes=False)
    assert not result.error
    assert b"evil" not in result.body
    assert result.body in (b"hi", b"")
    assert not result.kept


@pytest.mark.parametrize(
    "data",
    [
        _OK + b"Content-Length: 100\r\n\r\nhi",
        _OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
        _OK + b"Transfer-Encoding: chunked\r\n\r\n64\r\nhi",
    ],
)
def test_an_answer_that_broke_off_is_marked(data: bytes) -> None:
    assert receive(data) == _Result(200, b"hi", _BROKE_OFF, kept=True)


def test_a_body_up_to_the_close_is_whole() -> None:
    assert receive(_OK + b"\r\nhello").truncation == _NOT_CUT


def test_a_body_beyond_the_limit_is_cut_there_and_marked() -> None:
    limits = Limits(total=30, connect=10, body_bytes=10)
    result = receive(_OK + b"\r\n" + b"x" * 50, limits=limits)
    assert result.body == b"x" * 10
    assert result.truncation == Truncation.TRUNCATION_LENGTH
    assert not result.kept


def test_a_body_of_just_the_limit_is_whole() -> None:
    limits = Limits(total=30, connect=10, body_bytes=10)
    result = receive(_OK + b"Content-Length: 10\r\n\r\n" + b"x" * 10, closes=False, limits=limits)
    assert result == _Result(200, b"x" * 10, _NOT_CUT, kept=True)


def test_framing_counts_towards_the_limit() -> None:
    """Ten million chunks of a byte, or one endless chunk extension, end at the limit too."""
    limits = Limits(total=30, connect=10, body_bytes=100_000)
    head = _OK + b"Transfer-Encoding: chunked\r\n\r\n"
    for endless in (b"1\r\nx\r\n" * 100_000, b"1;" + b"a" * 1_000_000):
        result = asyncio.run(_receive(head + endless, 65_536, closes=False, limits=limits))
        assert result.truncation == Truncation.TRUNCATION_LENGTH
        assert len(result.body) <= 100_000


def test_trailers_are_counted_and_dropped() -> None:
    head = _OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n"
    assert receive(head + b"X: 1\r\n\r\n", closes=False).body == b"hi"
    assert receive(head + b"X: 1\r\n" * 300, closes=False).error == "RemoteProtocolError"


def test_interim_answers_are_skipped_but_not_for_ever() -> None:
    final = _OK + b"Content-Length: 2\r\n\r\nhi"
    assert receive(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 5 + final).body == b"hi"
    endless = b"HTTP/1.1 100 Continue\r\n\r\n" * (MAX_INTERIM + 1)
    assert receive(endless, closes=False).error == "RemoteProtocolError"


def test_lone_line_feeds_are_read_and_the_connection_is_dropped() -> None:
    result = receive(b"HTTP/1.1 200 OK\nContent-Length: 2\n\nhi", closes=False)
    assert result == _Result(200, b"hi", _NOT_CUT, kept=False)


def test_what_a_server_sends_unasked_drops_the_connection() -> None:
    async def main() -> None:
        connection, wire = Connection(), _Wire()
        connection.connection_made(wire)
        connection.data_received(b"HTTP/1.1 408 Request Timeout\r\n\r\n")
        assert wire.dropped
        assert not connection.reusable

    asyncio.run(main())


def test_a_kept_connection_closed_before_its_answer_is_stale() -> None:
    async def main() -> None:
        connection, wire = Connection(), _Wire()
        connection.connection_made(wire)
        first = connection.ask(b"GET", _LIMITS, 30)
        connection.data_received(_OK + b"Content-Length: 0\r\n\r\n")
        await first
        second = connection.ask(b"GET", _LIMITS, 30)
        connection.connection_lost(ConnectionResetError())
        with pytest.raises(StaleConnection):
            await second

    asyncio.run(main())


def test_a_new_connection_closed_before_its_answer_is_not() -> None:
    result = receive(b"", closes=True)
    assert result.error == "ReadError"
