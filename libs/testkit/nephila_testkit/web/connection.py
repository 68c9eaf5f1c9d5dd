"""One HTTP/1.1 connection of the synthetic web: it answers, and writes down what it saw."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from typing import cast

import httptools

from nephila_testkit.web.answers import Ending, SyntheticAnswer
from nephila_testkit.web.event_log import EventLog, now

# (host, target, headers, seconds since 1970, earlier requests for the URL) → answer.
Answering = Callable[[str, str, Mapping[str, str], float, int], SyntheticAnswer]

_PHRASES = {200: "OK", 301: "Moved Permanently", 304: "Not Modified", 404: "Not Found"}
_WITHOUT_BODY = (304, 204)


@dataclass(slots=True)
class ServedWeb:
    """What all connections of one server share."""

    answer: Answering
    log: EventLog
    numbers: "count[int]" = field(default_factory=lambda: count(1))
    # Requests so far, by host and target.
    asked: Counter[str] = field(default_factory=Counter[str])


class ServedConnection(asyncio.Protocol):
    """Requests are answered one after another; one that comes early waits."""

    def __init__(self, web: ServedWeb) -> None:
        self._web = web
        self._log = web.log
        self._number = next(web.numbers)
        self._arrived_s = 0.0
        self._parser = httptools.HttpRequestParser(self)
        self._target = b""
        self._headers: dict[str, str] = {}
        self._early: list[tuple[str, dict[str, str], float]] = []
        self._answering: asyncio.Task[None] | None = None
        self._drained = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        # Nothing is kept back in this process: "drained" means that the kernel has it all.
        self._transport.set_write_buffer_limits(high=0)
        self._drained.set()
        self._address = str(transport.get_extra_info("sockname")[0])
        self._log.write("open", self._number, at=now())

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answering is not None:
            self._answering.cancel()
        self._log.write("close", self._number, at=now())

    def pause_writing(self) -> None:
        self._drained.clear()

    def resume_writing(self) -> None:
        self._drained.set()

    def data_received(self, data: bytes) -> None:
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserError:
            self._transport.close()

    def on_message_begin(self) -> None:
        self._target, self._headers, self._arrived_s = b"", {}, now()

    def on_url(self, url: bytes) -> None:
        self._target += url

    def on_header(self, name: bytes, value: bytes) -> None:
        self._headers[name.decode("latin-1").lower()] = value.decode("latin-1")

    def on_message_complete(self) -> None:
        self._early.append((self._target.decode("latin-1"), self._headers, self._arrived_s))
        if self._answering is None or self._answering.done():
            self._answering = asyncio.get_running_loop().create_task(self._answer_all())

    async def _answer_all(self) -> None:
        while self._early:
            target, headers, arrived_s = self._early.pop(0)
            await self._answer_one(target, headers, arrived_s)

    async def _answer_one(self, target: str, headers: dict[str, str], arrived_s: float) -> None:
        host = headers.get("host", "").lower()
        url = host + target
        answer = self._web.answer(host, target, headers, time.time(), self._web.asked[url])
        self._web.asked[url] += 1
        self._log.write(
            "request",
            self._number,
            host=host,
            target=target,
            arrived_s=arrived_s,
            role=answer.role,
            address=self._address,
            user_agent=headers.get("user-agent", ""),
        )
        if answer.delay_s:
            await asyncio.sleep(answer.delay_s)
        if answer.ending is Ending.RESET:
            self._transport.abort()
            return
        ended_s, sent = await self._send(answer)
        self._log.write("end", self._number, ended_s=ended_s, **_ending(answer, sent))
        if answer.ending is Ending.CUT:
            self._transport.close()

    async def _send(self, answer: SyntheticAnswer) -> tuple[float, int]:
        """When the answer went out, and bytes of body sent.

        The instant is read before the bytes go, else a busy machine may run the crawler first, and
        its delay, counted from the answer, would look too short from here.
        """
        body = answer.body
        if answer.ending is Ending.CUT:
            body = body[: len(body) // 2]
        ended_s = now()
        self._transport.write(_head(answer) + _framed(answer, body))
        if not self._drained.is_set():
            await self._drained.wait()
            ended_s = now()
        return ended_s, len(body)


def _head(answer: SyntheticAnswer) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {_PHRASES.get(answer.status, 'Other')}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    if answer.chunked:
        lines.append("Transfer-Encoding: chunked")
    elif answer.status not in _WITHOUT_BODY:
        lines.append(f"Content-Length: {len(answer.body)}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _framed(answer: SyntheticAnswer, body: bytes) -> bytes:
    if not answer.chunked:
        return body
    half = max(1, len(body) // 2)
    parts = [part for part in (body[:half], body[half:]) if part]
    chunks = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts)
    return chunks + (b"" if answer.ending is Ending.CUT else b"0\r\n\r\n")


def _ending(answer: SyntheticAnswer, sent: int) -> dict[str, object]:
    is_robots = answer.role == "robots" and answer.status == 200
    return {
        "status": answer.status,
        "whole": answer.ending is Ending.WHOLE,
        "sha256": sha256(answer.payload).hexdigest() if answer.payload else "",
        "asked_wait_s": answer.asked_wait_s,
        "location": answer.location,
        "robots": answer.payload.decode() if is_robots else "",
        "body_bytes": sent,
    }
