"""Parsers in processes of their own, fed by sockets: a page that crashes or hangs one costs that page."""

import asyncio
import os
import signal
import socket
import sys
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import cast

import msgspec
from nephila_contracts.v1.reason_pb2 import REASON_PARSER_CRASHED, REASON_PARSER_TIMED_OUT
from nephila_telemetry import NO_LOGS, Logger

from nephila_parser.frames import HEAD, LONGEST
from nephila_parser.page import ParsedPage, ParseJob, ParseLimits

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(list[ParsedPage]).decode
# Pages of a frame. On one core, a page alone cost the parent 0.25 ms and the process 2.6; of eight read in a
# row each costs 0.08 and 2.1: fewer turns, and the caches are still warm.
_PAGES_A_FRAME = 8
# Bodies of a frame, as they ride: large pages go alone.
_BODIES_A_FRAME = 1 << 19
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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A page that somebody waits for."""

    job: ParseJob
    page: asyncio.Future[ParsedPage]

    def settle(self, page: ParsedPage) -> None:
        if not self.page.done():
            self.page.set_result(page)


class ProcessPool:
    """A `ParserPool` of `workers` processes, each with a few pages at a time. Use it as a context manager.

    A process is started when it is first needed or by `start`, and again after its death. Pages that
    were with it when it died are each tried alone, so that the one at fault is found.
    """

    def __init__(
        self,
        workers: int,
        limits: ParseLimits,
        page_timeout: timedelta,
        log: Logger = NO_LOGS,
    ) -> None:
        self._log = log
        self._workers = [_Worker(limits, page_timeout) for _ in range(workers)]
        # The one used last is used next: warm caches, and no more processes than there is work for.
        self._idle = deque(self._workers)
        self._waiting: deque[_Asked] = deque()
        self._busy: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> "ProcessPool":
        await self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def pids(self) -> list[int]:
        """Of the processes that run now."""
        return [worker.pid for worker in self._workers if worker.pid]

    async def start(self) -> None:
        """Starts all processes, instead of each with its first page."""
        await asyncio.gather(*(worker.start() for worker in self._workers))

    async def close(self) -> None:
        """Ends all processes; nobody may wait for a page any longer."""
        busy = list(self._busy)
        for task in busy:
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)
        await asyncio.gather(*(worker.stop() for worker in self._workers))

    async def parse(self, job: ParseJob) -> ParsedPage:
        asked = _Asked(job, asyncio.get_running_loop().create_future())
        self._waiting.append(asked)
        self._hand_out()
        return await asked.page

    def _hand_out(self) -> None:
        """Gives each idle process its next pages."""
        while self._idle and (pages := self._next_pages()):
            task = asyncio.get_running_loop().create_task(self._work(self._idle.pop(), pages))
            self._busy.add(task)
            task.add_done_callback(self._busy.discard)

    def _next_pages(self) -> list[_Asked]:
        """A frame's pages: those of a fair share that somebody still waits for."""
        most = min(_PAGES_A_FRAME, 1 + len(self._waiting) // len(self._workers))
        pages: list[_Asked] = []
        size = 0
        while self._waiting and len(pages) < most:
            asked = self._waiting[0]
            size += len(asked.job.body)
            if pages and size > _BODIES_A_FRAME:
                break
            self._waiting.popleft()
            if not asked.page.done():
                pages.append(asked)
        return pages

    async def _work(self, worker: "_Worker", pages: list[_Asked]) -> None:
        try:
            await self._answer(worker, pages)
        except Exception as error:
            for asked in pages:
                if not asked.page.done():
                    asked.page.set_exception(error)
        finally:
            self._idle.append(worker)
        self._hand_out()

    async def _answer(self, worker: "_Worker", pages: list[_Asked]) -> None:
        if len(pages) > 1:
            try:
                answers = await worker.ask([asked.job for asked in pages])
            except ProcessDied:
                # By one of them, or by none: each alone will tell.
                pass
            else:
                for asked, page in zip(pages, answers, strict=True):
                    self._settle(asked, page)
                return
        for asked in pages:
            self._settle(asked, await _parse_alone(worker, asked.job))

    def _settle(self, asked: _Asked, page: ParsedPage) -> None:
        if page.fault:
            self._log.warning("a page was not parsed", url=asked.job.url, fault=page.fault)
        asked.settle(page)


async def _parse_alone(worker: "_Worker", job: ParseJob) -> ParsedPage:
    try:
        return await _parse_or_retry(worker, job)
    except ProcessDied as death:
        return ParsedPage(death.reason, fault=death.fault)


async def _parse_or_retry(worker: "_Worker", job: ParseJob) -> ParsedPage:
    try:
        return (await worker.ask([job]))[0]
    except ProcessDied as death:
        if not death.innocent:
            raise
    return (await worker.ask([job]))[0]


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


class _Worker:
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
