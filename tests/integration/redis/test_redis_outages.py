"""A seen set whose Redis is wiped, killed, restored, stopped or gone: it hides no URL."""

import asyncio
import os
import shutil
import signal
from collections.abc import Callable
from datetime import timedelta

import pytest
from nephila_runtime.clock import SystemClock
from nephila_storage.redis_connections import RedisConnections, RedisEndpoint
from nephila_storage.redis_filter import OWED_AT_MOST
from nephila_storage.redis_seen_set import RedisSeenSet
from nephila_testkit.free_ports import lasting_tcp_ports
from nephila_testkit.servers import Server
from redis_sets import build, commanded, connected, digests

OwnServer = Callable[[str], Server]


def wipe(address: str) -> None:
    with commanded(address) as redis:
        redis.flushall()


def test_a_wiped_set_is_told_from_one_that_never_saw(own_server: OwnServer) -> None:
    async def run(address: str) -> None:
        async with connected(address) as connections:
            for adds_first in (False, True):
                seen = RedisSeenSet(connections, 1, "a", 1000)
                await build(seen, digests(0, 100))
                wipe(address)
                if adds_first:
                    await seen.add(digests(100, 110))
                assert all(await seen.probably_seen(digests(0, 1000)))
                assert seen.behind()
                assert await RedisSeenSet(connections, 1, "b").take_over() is None
                assert await seen.crowded()
                await build(seen, digests(0, 110))
                assert all(await seen.probably_seen(digests(0, 110)))
                assert sum(await seen.probably_seen(digests(200, 1000))) < 10

    with own_server("redis") as redis:
        asyncio.run(run(redis.address))


def test_one_wiped_while_it_is_built_is_not_switched_to(own_server: OwnServer) -> None:
    async def run(address: str) -> None:
        async with connected(address) as connections:
            seen = RedisSeenSet(connections, 1, "a", 1000)
            await seen.start_over(100)
            await seen.refill(digests(0, 50))
            wipe(address)
            await seen.refill(digests(50, 100))
            await seen.switch_over()
            assert all(await seen.probably_seen(digests(0, 200)))
            assert await seen.crowded()

    with own_server("redis") as redis:
        asyncio.run(run(redis.address))


def test_after_a_kill_and_a_start_it_is_whole(own_server: OwnServer) -> None:
    async def run(redis: Server) -> None:
        async with connected(redis.address) as connections:
            seen = RedisSeenSet(connections, 1, "a", 1000)
            await build(seen, digests(0, 100))
            redis.kill()
            assert all(await seen.probably_seen(digests(0, 200)))
            await seen.add(digests(100, 120))
            assert seen.behind()
            assert not await seen.crowded()
            redis.start()
            answers = await seen.probably_seen(digests(0, 1000))
            assert all(answers[:120])
            assert sum(answers) < 130
            assert not seen.behind()

    with own_server("redis") as redis:
        asyncio.run(run(redis))


@pytest.mark.parametrize("adds_first", [False, True])
def test_an_older_state_of_the_server_is_told(own_server: OwnServer, adds_first: bool) -> None:
    async def run(redis: Server) -> None:
        data = redis.directory / "data"
        async with connected(redis.address) as connections:
            seen = RedisSeenSet(connections, 1, "a", 1000)
            await build(seen, digests(0, 100))
            redis.stop()
            shutil.copytree(data, redis.directory / "older")
            redis.start()
            await seen.add(digests(100, 120))
            # The connection from before the stop costs one refusal.
            assert all(await seen.probably_seen(digests(0, 120)))
            assert not seen.behind()
            redis.stop()
            shutil.rmtree(data)
            (redis.directory / "older").rename(data)
            redis.start()
            if adds_first:
                await seen.add(digests(120, 130))
            assert all(await seen.probably_seen(digests(0, 1000)))
            assert all(await seen.probably_seen(digests(0, 1000)))
            assert seen.behind()
            assert await seen.crowded()

    with own_server("redis") as redis:
        asyncio.run(run(redis))


def test_more_than_it_may_owe_makes_it_lost_and_bounded(own_server: OwnServer) -> None:
    async def run(redis: Server) -> None:
        async with connected(redis.address) as connections:
            seen = RedisSeenSet(connections, 1, "a", 1000)
            await build(seen, digests(0, 100))
            redis.kill()
            await seen.add([number.to_bytes(16, "big") for number in range(OWED_AT_MOST + 1)])
            redis.start()
            assert all(await seen.probably_seen(digests(0, 1000)))
            assert not await seen.crowded()
            # That cost the connection from before the kill.
            assert await seen.crowded()

    with own_server("redis") as redis:
        asyncio.run(run(redis))


def test_a_server_that_was_never_there_costs_answers_and_nothing_else() -> None:
    async def run() -> None:
        (port,) = lasting_tcp_ports(1)
        connections = RedisConnections(RedisEndpoint("127.0.0.1", port), SystemClock())
        seen = RedisSeenSet(connections, 1, "a", 1000)
        assert await seen.take_over() is None
        await build(seen, digests(0, 100))
        await seen.add(digests(0, 1))
        assert await seen.probably_seen(digests(0, 5)) == [True] * 5
        assert not await seen.crowded()

    asyncio.run(run())


def test_a_server_that_hangs_is_waited_for_once_a_pause(own_server: OwnServer) -> None:
    async def run(redis: Server) -> None:
        patience, pause = timedelta(seconds=0.5), timedelta(seconds=2)
        async with connected(redis.address, patience, pause) as connections:
            seen = RedisSeenSet(connections, 1, "a", 1000)
            await build(seen, digests(0, 100))
            pid = redis.pid
            assert pid is not None
            os.kill(pid, signal.SIGSTOP)
            clock = SystemClock()
            began = clock.now()
            for _ in range(20):
                assert all(await seen.probably_seen(digests(0, 200)))
            assert clock.now() - began < 1.9
            os.kill(pid, signal.SIGCONT)
            await asyncio.sleep(2.1)
            answers = await seen.probably_seen(digests(0, 200))
            assert all(answers[:100])
            assert sum(answers) < 110

    with own_server("redis") as redis:
        asyncio.run(run(redis))
