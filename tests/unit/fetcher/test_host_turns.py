"""One request at a time to a host, and the delay from the end of one to the next."""

import asyncio

from nephila_fetcher.host_turns import HostTurns
from nephila_runtime.virtual_time import VirtualClock, run_virtual


async def _request(
    turns: HostTurns, clock: VirtualClock, host: str, delay: float, log: list[tuple[float, float]]
) -> None:
    async with turns.turn(host, delay):
        started = clock.now()
        await clock.sleep(2)
        log.append((started, clock.now()))


def test_a_host_is_never_asked_twice_within_its_delay_nor_twice_at_a_time() -> None:
    log: list[tuple[float, float]] = []

    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        turns = HostTurns(clock)
        await asyncio.gather(*(_request(turns, clock, "a.test", 1.5, log) for _ in range(5)))

    run_virtual(main())
    assert log == [(0, 2), (3.5, 5.5), (7, 9), (10.5, 12.5), (14, 16)]


def test_hosts_do_not_wait_for_each_other() -> None:
    log: list[tuple[float, float]] = []

    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        turns = HostTurns(clock)
        hosts = [f"{number}.test" for number in range(5)]
        await asyncio.gather(*(_request(turns, clock, host, 9, log) for host in hosts))

    run_virtual(main())
    assert log == [(0, 2)] * 5


def test_a_cancelled_waiter_does_not_hold_up_those_behind_it() -> None:
    log: list[tuple[float, float]] = []

    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        turns = HostTurns(clock)
        tasks = [asyncio.create_task(_request(turns, clock, "a.test", 1, log)) for _ in range(4)]
        await clock.sleep(1)
        tasks[1].cancel()
        await clock.sleep(1.5)  # The third one rests before its request.
        tasks[2].cancel()
        await asyncio.wait(tasks)

    run_virtual(main())
    assert log == [(0, 2), (3, 5)]
