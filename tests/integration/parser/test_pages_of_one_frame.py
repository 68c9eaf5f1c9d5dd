"""A process gets a few pages at a time; each still has its own fate."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine
from datetime import timedelta
from typing import Any

from nephila_contracts.v1.reason_pb2 import REASON_FETCHED, REASON_PARSER_TIMED_OUT
from nephila_parser import ParseJob, ParseLimits, ProcessPool

# End tags of other elements hide the depth from the check before the tree: minutes for the parser.
ENDLESS = b"<div></span>" * 200_000
LIMITS = ParseLimits(cpu_seconds=1)


def job(number: int, body: bytes | None = None) -> ParseJob:
    own = b"<title>Page %d</title><a href=/%d>A</a>" % (number, number)
    url = f"http://a.example/{number}"
    return ParseJob(url, 0, 0, "text/html", "", "", own if body is None else body)


def with_pool(use: Callable[[ProcessPool], Coroutine[Any, Any, None]], workers: int = 1) -> None:
    async def run() -> None:
        async with ProcessPool(workers, LIMITS, timedelta(seconds=20)) as pool:
            await use(pool)

    asyncio.run(run())


def test_each_page_of_a_crowd_gets_its_own_answer() -> None:
    async def use(pool: ProcessPool) -> None:
        pages = await asyncio.gather(*(pool.parse(job(number)) for number in range(100)))
        assert [page.title for page in pages] == [f"Page {number}" for number in range(100)]

    with_pool(use, workers=2)


def test_a_page_that_ends_its_process_costs_no_other_page_of_its_frame() -> None:
    async def use(pool: ProcessPool) -> None:
        jobs = [job(number, ENDLESS if number == 5 else None) for number in range(12)]
        pages = await asyncio.gather(*(pool.parse(each) for each in jobs))
        reasons = [page.reason for page in pages]
        assert reasons.pop(5) == REASON_PARSER_TIMED_OUT
        assert reasons == [REASON_FETCHED] * 11

    with_pool(use)


def test_pages_whose_process_is_killed_from_outside_are_all_read() -> None:
    async def use(pool: ProcessPool) -> None:
        (pid,) = pool.pids
        os.kill(pid, signal.SIGSTOP)
        tasks = [asyncio.create_task(pool.parse(job(number))) for number in range(12)]
        await asyncio.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        pages = await asyncio.gather(*tasks)
        assert [page.title for page in pages] == [f"Page {number}" for number in range(12)]

    with_pool(use)


def test_a_page_nobody_waits_for_any_longer_takes_no_other_with_it() -> None:
    async def use(pool: ProcessPool) -> None:
        tasks = [asyncio.create_task(pool.parse(job(number))) for number in range(12)]
        await asyncio.sleep(0)
        for task in tasks[::2]:
            task.cancel()
        pages = await asyncio.gather(*tasks[1::2])
        assert [page.title for page in pages] == [f"Page {number}" for number in range(1, 12, 2)]

    with_pool(use)
