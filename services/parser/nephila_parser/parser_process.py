"""The parent's hold of one parser process: started, fed by a socket, ended, and told how it ended.

What it runs is `worker_process`.
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Sequence
from datetime import timedelta
from typing import cast

import msgspec
from nephila_contracts.v1.reason_pb2 import REASON_PARSER_CRASHED, REASON_PARSER_TIMED_OUT

from nephila_parser.frames import HEAD, LONGEST
from nephila_parser.page import ParsedPage, ParseJob, ParseLimits

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[ParsedPage]).decode
# A process takes 0.3 s to start on an idle machine.
_STARTING = timedelta(seconds=60)
# Of a process that is killed from outside before it is ready.
_STARTS = 3
# A process that was told to end by its socket's end is given this long.
_PARTING = timedelta(seconds=2)
# One thread a process, whatever numpy's libraries think: threads cost address space and start-up time.
# Freed trees stay with the process instead of going back to the kernel after each page: a quarter of the
# parse was page faults.
_ENVIRONMENT = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "MALLOC_TRIM_THRESHOLD_": str(32 << 20),
    "MALLOC_MMAP_THRESHOLD_": str(16 << 20),
}


class ProcessDied(Exception):
    """A parser process ended, or was ended, instead of answering. `reason` is a Reason."""

    def __init__(self, reason: int, fault: str, innocent: bool) -> None:
        super().__init__(fault)
        self.reason = reason
        self.fault = fault
        # Killed from outside: the page need not be the cause.
        self.innocent = innocent


class ParserUnavailable(Exception):
    """Parser processes do not start at all: no page's fault, so none gets a verdict for it."""


class _Pipe(asyncio.Protocol):
    """The parent's end of a socket: one frame out, one frame in."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self._parts: list[bytes] = []
        self._received = 0
        self._answer: asyncio.Future[bytes | None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # uvloop's transports are no asyncio.Transport by inheritance.
        self.transport = cast(asyncio.Transport, transport)

    def exchange(self, payload: bytes) -> "asyncio.Future[bytes | None]":
        """Sends a frame; its answer comes, or None when the other end is gone."""
        self._answer = asyncio.get_running_loop().create_future()
        if self.transport is None or self.transport.is_closing():
            self._answer.set_result(None)
        else:
            self.transport.writelines((HEAD.pack(len(payload)), payload))
        return self._answer

    def data_received(self, data: bytes) -> None:
        self._parts.append(data)
        self._received += len(data)
        if self._received < HEAD.size:
            return
        if len(self._parts[0]) < HEAD.size:
            self._parts = [b"".join(self._parts)]
        (length,) = HEAD.unpack_from(self._parts[0])
        if self._received == HEAD.size + length:
            frame = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
            self._parts = []
            self._received = 0
            self._settle(frame)
        elif self._received > HEAD.size + length or length > LONGEST:
            # More than was asked for: no process of ours any longer.
            self._settle(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._settle(None)

    def _settle(self, frame: bytes | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_result(frame)


class ParserProcess:
    """One place for a process, and the process that is in it now."""

    def __init__(self, limits: ParseLimits, page_timeout: timedelta) -> None:
        self._limits = _encode(limits)
        self._page_timeout = page_timeout.total_seconds()
        self._process: asyncio.subprocess.Process | None = None
        self._pipe = _Pipe()

    @property
    def pid(self) -> int:
        """Of the running process; 0 when there is none."""
        running = self._process is not None and self._process.returncode is None
        return self._process.pid if self._process is not None and running else 0

    async def start(self) -> None:
        """Puts a fresh process in place. Raises ParserUnavailable."""
        status = None
        for _ in range(_STARTS):
            status = await self._start_once()
            if status != -signal.SIGKILL:
                break
        if status is not None:
            raise ParserUnavailable(f"a parser process ended with status {status} at its start")

    async def _start_once(self) -> int | None:
        """None when the process is ready, else how it ended."""
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "nephila_parser.worker_process",
                str(os.getpid()),
                stdin=theirs.fileno(),
                stdout=asyncio.subprocess.DEVNULL,
                env={**os.environ, **_ENVIRONMENT},
                # Out of the terminal's group: Ctrl-C reaches the parent only, which drains.
                start_new_session=True,
            )
        loop = asyncio.get_running_loop()
        _, self._pipe = await loop.create_connection(_Pipe, sock=ours)
        try:
            async with asyncio.timeout(_STARTING.total_seconds()):
                ready = await self._pipe.exchange(self._limits)
        except TimeoutError:
            await self._kill()
            raise ParserUnavailable("a parser process did not start in time") from None
        except asyncio.CancelledError:
            await self._kill()
            raise
        if ready is not None:
            return None
        process = self._process
        await self.stop()
        return process.returncode

    async def ask(self, jobs: Sequence[ParseJob]) -> list[ParsedPage]:
        """The process's answers, in order. Raises ProcessDied; there is a fresh process next time.

        Pages together have the time of one: what takes longer is tried alone.
        """
        if not self.pid or self._pipe.transport is None or self._pipe.transport.is_closing():
            await self.stop()
            await self.start()
        answer = self._pipe.exchange(_encode(jobs))
        try:
            async with asyncio.timeout(self._page_timeout):
                frame = await answer
        except TimeoutError:
            await self._kill()
            raise ProcessDied(REASON_PARSER_TIMED_OUT, "parser timed out", False) from None
        except asyncio.CancelledError:
            # The answer would be taken for that of the next pages.
            await self._kill()
            raise
        if frame is None:
            raise await self._death()
        try:
            answers = _decode(memoryview(frame)[HEAD.size :])
        except msgspec.DecodeError:
            answers = []
        if len(answers) != len(jobs):
            await self._kill()
            raise ProcessDied(REASON_PARSER_CRASHED, "parser answered nonsense", False)
        return answers

    async def stop(self) -> None:
        """Ends the process by closing its socket, or by force."""
        if self._pipe.transport is not None:
            self._pipe.transport.close()
        if self._process is None:
            return
        try:
            async with asyncio.timeout(_PARTING.total_seconds()):
                await self._process.wait()
        except TimeoutError:
            await self._kill()
        self._process = None

    async def _death(self) -> ProcessDied:
        """How the process ended that closed its socket."""
        process = self._process
        await self.stop()
        status = process.returncode if process is not None else None
        if status == -signal.SIGXCPU:
            return ProcessDied(REASON_PARSER_TIMED_OUT, "parser used up its CPU time", False)
        innocent = status == -signal.SIGKILL
        return ProcessDied(REASON_PARSER_CRASHED, f"parser ended with status {status}", innocent)

    async def _kill(self) -> None:
        if self._pipe.transport is not None:
            self._pipe.transport.abort()
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        self._process = None
