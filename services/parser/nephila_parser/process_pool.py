"""A pool of parser processes: who gets which page, and what becomes of a page that ended one."""

import asyncio
from collections import deque
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType

from nephila_telemetry import NO_LOGS, Logger

from nephila_parser.page import ParsedPage, ParseJob, ParseLimits
from nephila_parser.parser_process import ParserProcess, ProcessDied

# Pages of a frame. On one core, a page alone cost the parent 0.25 ms and the process 2.6; of eight read in a
# row each costs 0.08 and 2.1: fewer turns, and the caches are still warm.
_PAGES_A_FRAME = 8
# Bodies of a frame, as they ride: large pages go alone.
_BODIES_A_FRAME = 1 << 19


@dataclass(frozen=True, slots=True)
class _Asked:
    """A page that somebody waits for."""

    job: ParseJob
    page: asyncio.Future[ParsedPage]

    def settle(self, page: ParsedPage) -> None:
        if not self.page.done():
            self.page.set_result(page)


class ProcessPool:
    """A `ParserPool` of `processes` processes, each with a few pages at a time. Use it as a context manager.

    A process is started when it is first needed or by `start`, and again after its death. Pages that
    were with it when it died are each tried alone, so that the one at fault is found.
    """

    def __init__(
        self,
        processes: int,
        limits: ParseLimits,
        page_timeout: timedelta,
        log: Logger = NO_LOGS,
    ) -> None:
        self._log = log
        self._processes = [ParserProcess(limits, page_timeout) for _ in range(processes)]
        # The one used last is used next: warm caches, and no more processes than there is work for.
        self._idle = deque(self._processes)
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
        return [process.pid for process in self._processes if process.pid]

    async def start(self) -> None:
        """Starts all processes, instead of each with its first page."""
        await asyncio.gather(*(process.start() for process in self._processes))

    async def close(self) -> None:
        """Ends all processes; nobody may wait for a page any longer."""
        busy = list(self._busy)
        for task in busy:
            task.cancel()
        await asyncio.gather(*busy, return_exceptions=True)
        await asyncio.gather(*(process.stop() for process in self._processes))

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
        most = min(_PAGES_A_FRAME, 1 + len(self._waiting) // len(self._processes))
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

    async def _work(self, process: ParserProcess, pages: list[_Asked]) -> None:
        try:
            await self._answer(process, pages)
        except Exception as error:
            for asked in pages:
                if not asked.page.done():
                    asked.page.set_exception(error)
        finally:
            self._idle.append(process)
        self._hand_out()

    async def _answer(self, process: ParserProcess, pages: list[_Asked]) -> None:
        if len(pages) > 1:
            try:
                answers = await process.ask([asked.job for asked in pages])
            except ProcessDied:
                # By one of them, or by none: each alone will tell.
                pass
            else:
                for asked, page in zip(pages, answers, strict=True):
                    self._settle(asked, page)
                return
        for asked in pages:
            self._settle(asked, await _parse_alone(process, asked.job))

    def _settle(self, asked: _Asked, page: ParsedPage) -> None:
        if page.fault:
            self._log.warning("a page was not parsed", url=asked.job.url, fault=page.fault)
        asked.settle(page)


async def _parse_alone(process: ParserProcess, job: ParseJob) -> ParsedPage:
    try:
        return await _parse_or_retry(process, job)
    except ProcessDied as death:
        return ParsedPage(death.reason, fault=death.fault)


async def _parse_or_retry(process: ParserProcess, job: ParseJob) -> ParsedPage:
    try:
        return (await process.ask([job]))[0]
    except ProcessDied as death:
        if not death.innocent:
            raise
    return (await process.ask([job]))[0]
