"""Parsers in real processes: limited, replaceable, and gone with their parent."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Coroutine
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nephila_contracts.v1.reason_pb2 import (
    REASON_FETCHED,
    REASON_PARSER_CRASHED,
    REASON_PARSER_TIMED_OUT,
)
from nephila_parser import ParseJob, ParseLimits, ProcessPool
from nephila_parser.content_types import parse_page
from nephila_parser.frames import framed
from nephila_parser.parser_process import ParserUnavailable
from nephila_telemetry.json_logs import json_logger

PAGE = b"<title>T</title><a href=/a>A</a><p>" + b"some words of text that differ " * 20
# End tags of other elements hide the depth from the check before the tree: minutes for the parser.
ENDLESS = b"<div></span>" * 200_000
LIMITS = ParseLimits(cpu_seconds=1)


def job(body: bytes = PAGE, url: str = "http://a.example/") -> ParseJob:
    return ParseJob(url, 0, 0, "text/html", "", "", body)


def with_pool(
    use: Callable[[ProcessPool], Coroutine[Any, Any, None]],
    workers: int = 1,
    page_timeout: float = 20,
    limits: ParseLimits = LIMITS,
) -> None:
    async def run() -> None:
        async with ProcessPool(workers, limits, timedelta(seconds=page_timeout)) as pool:
            await use(pool)

    asyncio.run(run())


async def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    async with asyncio.timeout(seconds):
        # A process ends in its own time: there is nothing to be woken by.
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_a_process_gives_what_the_same_code_gives_inline() -> None:
    async def use(pool: ProcessPool) -> None:
        assert await pool.parse(job()) == parse_page(job(), LIMITS)

    with_pool(use)


def test_many_pages_at_once_each_get_their_own_answer() -> None:
    async def use(pool: ProcessPool) -> None:
        urls = [f"http://a.example/{number}/" for number in range(60)]
        pages = await asyncio.gather(*(pool.parse(job(b"<a href=x>", url)) for url in urls))
        assert [page.links.urls for page in pages] == [[url + "x"] for url in urls]

    with_pool(use, workers=2)


def test_a_page_of_many_megabytes_passes_the_pipe() -> None:
    async def use(pool: ProcessPool) -> None:
        body = b"".join(b"<a href=/%d>%d</a><p>word%d" % (n, n, n) for n in range(200_000))
        page = await pool.parse(job(body))
        assert (page.reason, len(page.links.urls)) == (REASON_FETCHED, 10_000)

    with_pool(use, limits=ParseLimits())


def test_a_page_that_takes_too_much_cpu_time_costs_itself_alone() -> None:
    async def use(pool: ProcessPool) -> None:
        page = await pool.parse(job(ENDLESS))
        assert page.reason == REASON_PARSER_TIMED_OUT
        assert (await pool.parse(job())).reason == REASON_FETCHED

    with_pool(use)


def test_a_page_that_takes_too_long_is_ended_by_the_parent() -> None:
    async def use(pool: ProcessPool) -> None:
        page = await pool.parse(job(ENDLESS))
        assert page.reason == REASON_PARSER_TIMED_OUT

    with_pool(use, page_timeout=1.0, limits=ParseLimits(cpu_seconds=60))


def test_cpu_time_is_counted_a_page_not_a_process() -> None:
    async def use(pool: ProcessPool) -> None:
        (pid,) = pool.pids
        heavy = b"<p>word <a href=/x>y</a>" * 60_000
        for _ in range(12):
            assert (await pool.parse(job(heavy))).reason == REASON_FETCHED
        assert pool.pids == [pid]

    with_pool(use)


@pytest.mark.parametrize("sent", [signal.SIGSEGV, signal.SIGABRT])
def test_a_crash_costs_the_page_alone(sent: signal.Signals) -> None:
    async def use(pool: ProcessPool) -> None:
        (pid,) = pool.pids
        task = asyncio.create_task(pool.parse(job(ENDLESS)))
        await asyncio.sleep(0.2)
        os.kill(pid, sent)
        page = await task
        assert page.reason == REASON_PARSER_CRASHED
        assert pid not in pool.pids
        assert (await pool.parse(job())).reason == REASON_FETCHED

    with_pool(use, limits=ParseLimits(cpu_seconds=60))


def test_a_page_whose_process_was_killed_from_outside_is_tried_once_more() -> None:
    async def use(pool: ProcessPool) -> None:
        (pid,) = pool.pids
        os.kill(pid, signal.SIGSTOP)
        task = asyncio.create_task(pool.parse(job()))
        await asyncio.sleep(0.1)
        os.kill(pid, signal.SIGKILL)
        assert (await task).reason == REASON_FETCHED
        assert pid not in pool.pids

    with_pool(use)


def test_a_page_whose_processes_are_killed_again_and_again_is_given_up() -> None:
    async def use(pool: ProcessPool) -> None:
        task = asyncio.create_task(pool.parse(job(ENDLESS)))
        for _ in range(2):
            await until(lambda: any(cpu_seconds(pid) > 1 for pid in pool.pids))
            (pid,) = pool.pids
            os.kill(pid, signal.SIGKILL)
            await until(lambda pid=pid: pid not in pool.pids)
        assert (await task).reason == REASON_PARSER_CRASHED

    with_pool(use, limits=ParseLimits(cpu_seconds=60))


def test_a_process_killed_while_idle_costs_nothing() -> None:
    async def use(pool: ProcessPool) -> None:
        (pid,) = pool.pids
        os.kill(pid, signal.SIGKILL)
        assert (await pool.parse(job())).reason == REASON_FETCHED

    with_pool(use)


def test_ctrl_c_does_not_reach_a_parser() -> None:
    async def use(pool: ProcessPool) -> None:
        (pid,) = pool.pids
        assert (await pool.parse(job())).reason == REASON_FETCHED
        os.kill(pid, signal.SIGINT)
        assert (await pool.parse(job())).reason == REASON_FETCHED
        assert pool.pids == [pid]
        assert os.getsid(pid) != os.getsid(0)

    with_pool(use)


def test_an_answer_nobody_waits_for_is_not_taken_for_the_next_page_s() -> None:
    async def use(pool: ProcessPool) -> None:
        for _ in range(5):
            # Long enough to read that it is still under way when it is given up.
            task = asyncio.create_task(pool.parse(job(b"<a href=/late>" + b"<p>x" * 200_000)))
            await asyncio.sleep(0.005)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        pages = await asyncio.gather(*(pool.parse(job(b"<a href=/%d>" % n)) for n in range(4)))
        assert [page.links.urls for page in pages] == [[f"http://a.example/{n}"] for n in range(4)]

    with_pool(use)


def test_memory_at_its_limit_costs_the_page_alone() -> None:
    async def use(pool: ProcessPool) -> None:
        greedy = b"".join(b"<p><a href=/%d>" % n for n in range(290_000))
        page = await pool.parse(job(greedy))
        assert page.reason == REASON_PARSER_CRASHED
        assert (await pool.parse(job())).reason == REASON_FETCHED

    with_pool(use, limits=ParseLimits(memory_bytes=330_000_000))


def test_what_a_page_did_to_its_parser_is_told(tmp_path: Path) -> None:
    told = tmp_path / "log"

    async def run() -> None:
        with told.open("w", encoding="ascii") as stream:
            log = json_logger(stream, lambda: 0)
            async with ProcessPool(1, LIMITS, timedelta(seconds=20), log) as pool:
                await pool.parse(job(ENDLESS))
                await pool.parse(job())

    asyncio.run(run())
    (line,) = map(json.loads, told.read_text().splitlines())
    assert (line["level"], line["url"]) == ("warning", "http://a.example/")
    assert line["fault"] == "parser used up its CPU time"


def test_processes_that_do_not_start_are_no_page_s_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONHOME", "/nonexistent")

    async def run() -> None:
        pool = ProcessPool(1, LIMITS, timedelta(seconds=20))
        with pytest.raises(ParserUnavailable):
            await pool.parse(job())
        await pool.close()

    asyncio.run(run())


def test_closing_ends_every_process() -> None:
    pids: list[int] = []

    async def use(pool: ProcessPool) -> None:
        pids.extend(pool.pids)

    with_pool(use, workers=2)
    assert len(pids) == 2
    assert not any(map(is_alive, pids))


PARENT = """
import asyncio, sys
from datetime import timedelta
from nephila_parser import ParseLimits, ParseJob, ProcessPool
async def main():
    pool = ProcessPool(2, ParseLimits(cpu_seconds=60), timedelta(seconds=60))
    await pool.start()
    endless = b"<div></span>" * 200000
    job = ParseJob("http://a.example/", 0, 0, "text/html", "", "", endless)
    busy = asyncio.create_task(pool.parse(job))
    await asyncio.sleep(0.5)
    print(*pool.pids, flush=True)
    await busy
asyncio.run(main())
"""


def test_processes_die_with_their_parent_the_busy_one_too() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert len(pids) == 2
        assert all(map(is_alive, pids))
        parent.kill()
        parent.wait()
    asyncio.run(until(lambda: not any(map(is_alive, pids)), seconds=5))


def test_a_process_whose_parent_leaves_its_answers_ends_without_a_word() -> None:
    ours, theirs = socket.socketpair()
    command = [sys.executable, "-m", "nephila_parser.worker_process", str(os.getpid())]
    with ours, subprocess.Popen(command, stdin=theirs.fileno(), stderr=subprocess.PIPE) as worker:
        theirs.close()
        ours.sendall(framed(msgspec.msgpack.encode(LIMITS)))
        # It is there, and is not read: closing resets the connection.
        assert ours.recv(1, socket.MSG_PEEK)
        ours.close()
        _, said = worker.communicate(timeout=30)
    assert (worker.returncode, said) == (0, b"")


def test_a_process_stays_small() -> None:
    async def use(pool: ProcessPool) -> None:
        for _ in range(50):
            await pool.parse(job())
        (pid,) = pool.pids
        status = Path(f"/proc/{pid}/status").read_text()
        resident_kb = int(status.partition("VmRSS:")[2].split()[0])
        # Measured: 48 MB, of which 34 are its own.
        assert resident_kb < 80_000

    with_pool(use)
