"""One connection to a server: an asyncio protocol around httptools' parser (llhttp).

It receives one answer at a time into bounded memory and says whether the connection may be kept. At
any doubt about where the answer ends, the connection is not used again.
"""

import asyncio
from typing import cast

import httptools
import httpx
from nephila_contracts.v1.page_pb2 import Truncation

from nephila_fetcher.exchange import NOT_CUT, Limits, StaleConnection
from nephila_fetcher.large_bodies import LARGE, LargeBodies, Turn
from nephila_fetcher.response_head import (
    MAX_FIELDS,
    MAX_HEAD_BYTES,
    STATUS_LINE,
    Received,
    ends_at_close,
    head_end,
)

# A server may send 100, 102 and 103 before its answer; a thousand is an attack.
MAX_INTERIM = 32


class Connection(asyncio.Protocol):
    """Made by the event loop once connected. Idle until `ask`."""

    def __init__(self, large_bodies: LargeBodies | None = None) -> None:
        """`large_bodies` is shared by the connections whose memory is to be bounded together."""
        self._large_bodies = large_bodies or LargeBodies()
        self._turn: Turn | None = None
        self.closed = False
        self.idle_since = 0.0
        self.address = ""
        # False once an answer left a doubt, or the server said that it will close.
        self.reusable = True
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[Received] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._used_before = False
        self._body_limit = self._wire_left = 0
        self._start_message()

    def _start_message(self) -> None:
        self._parser: httptools.HttpResponseParser | None = None
        self._unread = bytearray()
        self._searched = 0
        self._head = b""
        self._status = 0
        self._fields: list[tuple[bytes, bytes]] = []
        self._trailers = 0
        self._messages = 0
        self._head_complete = self._complete = self._until_close = False
        self._body: list[bytes] = []
        self._size = 0

    # What the transport calls.

    def ask(self, head: bytes, limits: Limits, seconds: float) -> asyncio.Future[Received]:
        """Sends a request; the future gets the answer, whole or cut, or one of httpx's exceptions.

        `seconds` are left until the answer must be complete.
        """
        if self._transport is None or self._answer is not None:
            raise RuntimeError("a connection carries one request at a time")
        self._start_message()
        self._interim = 0
        self._body_limit = limits.body_bytes
        # Chunk framing and interim answers count too, a sixteenth is more than honest servers use.
        self._wire_left = limits.body_bytes + limits.body_bytes // 16 + 2 * MAX_HEAD_BYTES
        self._answer = self._loop.create_future()
        self._timer = self._loop.call_later(seconds, self._expired)
        self._transport.write(head)
        return self._answer

    def abort(self) -> None:
        """Drops the connection, and what is under way on it."""
        self.reusable = False
        self._forget()
        if self._transport is not None:
            self._transport.abort()

    def close(self) -> None:
        self.reusable = False
        if self._transport is not None:
            self._transport.close()

    # What the event loop calls.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        if self._answer is None:
            # Nobody asked: what a server sends of itself never becomes the next answer.
            self.abort()
            return
        self._wire_left -= len(data)
        try:
            if self._head_complete:
                self._feed(data)
            else:
                self._unread += data
                self._read_heads()
        except httptools.HttpParserError as error:
            self._fail(httpx.RemoteProtocolError(str(error)))
            return
        self._after_data()

    def _after_data(self) -> None:
        if self._answer is None:
            return
        if self._complete:
            self._finish(NOT_CUT)
        elif self._wire_left < 0:
            self._cut(Truncation.TRUNCATION_LENGTH)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed = True
        self.reusable = False
        if self._answer is None:
            return
        if self._head_complete:
            whole = self._until_close and exc is None
            self._finish(NOT_CUT if whole else Truncation.TRUNCATION_DISCONNECT)
        elif self._used_before and not self._unread and not self._interim:
            self._fail(StaleConnection("the kept connection was closed"))
        elif self._unread:
            self._fail(httpx.RemoteProtocolError("the header broke off"))
        else:
            self._fail(httpx.ReadError("the connection was closed before an answer"))

    # What httptools calls.

    def on_message_begin(self) -> None:
        self._messages += 1

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._head_complete:
            self._trailers += 1
            if self._trailers > MAX_FIELDS:
                raise httptools.HttpParserError("too many trailer fields")
        else:
            self._fields.append((name, value))

    def on_headers_complete(self) -> None:
        self._head_complete = True

    def on_body(self, piece: bytes) -> None:
        if self._complete:
            return
        self._size += len(piece)
        self._body.append(piece)
        if self._size > LARGE and self._turn is None:
            self._await_turn()
        if self._size > self._body_limit:
            self._body[-1] = piece[: len(piece) - (self._size - self._body_limit)]
            self._cut(Truncation.TRUNCATION_LENGTH)

    def on_message_complete(self) -> None:
        if self._parser is not None and not self._complete:
            self._complete = True
            if not self._parser.should_keep_alive():
                self.reusable = False

    # Reading.

    def _feed(self, data: bytes) -> None:
        parser = self._parser
        if parser is None or self._complete:
            return
        try:
            parser.feed_data(data)
        except httptools.HttpParserError:
            if not self._complete:
                raise
            # The answer is complete; what followed it is no HTTP.
            self.reusable = False
        if self._messages > 1:
            self.reusable = False

    def _read_heads(self) -> None:
        """Takes heads off `_unread` until the final answer's: the rest of it is body."""
        while not self._head_complete:
            end = self._head_end()
            if not self._unread.startswith(STATUS_LINE[: len(self._unread)]):
                raise httptools.HttpParserError("no status line of HTTP/1")
            if end < 0:
                if len(self._unread) > MAX_HEAD_BYTES:
                    raise httptools.HttpParserError("the header is too large")
                return
            head, rest = bytes(self._unread[:end]), bytes(self._unread[end:])
            self._read_head(head)
            if self._status < 200:
                self._skip_interim(rest)
                continue
            self._unread.clear()
            self._head = head
            if rest and self._complete:
                self.reusable = False
            elif rest:
                self._feed(rest)

    def _head_end(self) -> int:
        """Length of the first head in `_unread`, -1 when it is not all there."""
        if self._unread.startswith((b"\r", b"\n")):
            # RFC 9112 2.2: empty lines before a message are skipped.
            self._unread = self._unread.lstrip(b"\r\n")
            self._searched = 0
        # What was searched before is not searched again: a head may come in single bytes.
        start, self._searched = max(self._searched - 3, 0), len(self._unread)
        return head_end(self._unread, start)

    def _read_head(self, head: bytes) -> None:
        self._fields = []
        self._messages = 0
        parser = self._parser = httptools.HttpResponseParser(self)
        bare = b"\r" not in head
        if bare:
            # RFC 9112 2.2 lets a lone LF end a line, and some servers do; llhttp has to be told.
            parser.set_dangerous_leniencies(lenient_optional_cr_before_lf=True)
        self._status = 0
        try:
            parser.feed_data(head)
        except httptools.HttpParserUpgrade as upgrade:
            raise httptools.HttpParserError("an upgrade that nobody asked for") from upgrade
        if not self._head_complete or len(head) > MAX_HEAD_BYTES:
            raise httptools.HttpParserError("the header does not end where it should")
        self._status = parser.get_status_code()
        self._until_close = ends_at_close(self._status, self._fields)
        if bare:
            self.reusable = False

    def _skip_interim(self, rest: bytes) -> None:
        self._interim += 1
        if self._interim > MAX_INTERIM:
            raise httptools.HttpParserError("too many interim answers")
        self._head_complete = self._complete = False
        self._unread = bytearray(rest)
        self._searched = 0

    # Ending.

    def _await_turn(self) -> None:
        """Reads on only while this body is one of the large ones that are received at once."""
        self._turn = self._large_bodies.enter(self._read_on)
        if not self._turn.admitted and self._transport is not None:
            self._transport.pause_reading()

    def _read_on(self) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def _expired(self) -> None:
        if self._head_complete:
            self._cut(Truncation.TRUNCATION_TIME)
        else:
            self._fail(httpx.ReadTimeout("no answer in time"))

    def _cut(self, truncation: Truncation) -> None:
        self.reusable = False
        self._complete = True
        self._finish(truncation)

    def _finish(self, truncation: Truncation) -> None:
        answer = self._forget()
        if truncation != NOT_CUT:
            self.reusable = False
        if answer is not None and not answer.done():
            body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
            answer.set_result(Received(self._status, self._head, self._fields, body, truncation))
        self._body = []
        if not self.reusable and self._transport is not None:
            self._transport.abort()

    def _fail(self, error: httpx.TransportError) -> None:
        answer = self._forget()
        if answer is not None and not answer.done():
            answer.set_exception(error)
        self.abort()

    def _forget(self) -> asyncio.Future[Received] | None:
        """Ends the exchange for this connection; returns the future that waits for it."""
        answer, self._answer = self._answer, None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        turn, self._turn = self._turn, None
        if turn is not None:
            self._large_bodies.leave(turn)
        self._used_before = True
        return answer
