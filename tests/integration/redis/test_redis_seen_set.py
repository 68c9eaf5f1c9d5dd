"""What a seen set does on a shared Redis beyond the contract: its size, its limits, its successors."""

import asyncio
import math
import random
from collections.abc import Iterator
from typing import Any

import pytest
from nephila_runtime.clock import SystemClock
from nephila_storage.redis_connections import RedisConnections
from nephila_storage.redis_seen_set import RedisSeenSet
from redis.exceptions import NoPermissionError
from redis_sets import (
    build,
    commanded,
    connected,
    digests,
    endpoint,
    forget,
    fresh_partition,
)


@pytest.fixture
def partition(redis_address: str) -> Iterator[int]:
    number = fresh_partition()
    yield number
    forget(redis_address, number)


def test_its_size_is_that_of_the_formulas(redis_address: str, partition: int) -> None:
    async def run() -> None:
        async with connected(redis_address) as connections:
            await build(RedisSeenSet(connections, partition, "a", 100_000, 0.001), [])

    asyncio.run(run())
    with commanded(redis_address) as redis:
        told: Any = redis.execute_command("BF.INFO", f"seen:{partition}:1")
    pairs = dict(told) if isinstance(told, dict) else dict(zip(told[::2], told[1::2], strict=True))
    size = pairs.get("Size") or pairs[b"Size"]
    assert size * 8 == pytest.approx(-100_000 * math.log(0.001) / math.log(2) ** 2, rel=0.02)


def test_a_full_filter_hides_nothing_and_asks_for_a_new_one(
    redis_address: str, partition: int
) -> None:
    async def run() -> None:
        async with connected(redis_address) as connections:
            seen = RedisSeenSet(connections, partition, "a", 1000)
            await build(seen, digests(0, 300))
            await seen.add(digests(300, 3000))
            assert seen.behind()
            assert all(await seen.probably_seen(digests(0, 4000)))
            assert await seen.crowded()
            await build(seen, digests(0, 3000))
            assert not await seen.crowded()
            assert all(await seen.probably_seen(digests(0, 3000)))
            assert sum(await seen.probably_seen(digests(3000, 4000))) < 20

    asyncio.run(run())


def test_a_successor_goes_on_from_the_offset_that_was_reached(
    redis_address: str, partition: int
) -> None:
    async def run() -> None:
        async with connected(redis_address) as connections:
            first = RedisSeenSet(connections, partition, "a", 1000)
            await build(first, digests(0, 10))
            first.reached(10)
            await first.add(digests(10, 20))
            # Killed here: admitted up to 30, added up to 20.
            second = RedisSeenSet(connections, partition, "b", 1000)
            assert await second.take_over() == 10
            assert second.behind()
            assert all(await second.probably_seen(digests(0, 100)))
            await second.add(digests(10, 30))
            second.reached(30)
            assert not second.behind()
            seen = await second.probably_seen(digests(0, 100))
            assert all(seen[:30])
            assert sum(seen) < 35

    asyncio.run(run())


def test_without_an_offset_a_successor_builds_it_anew(redis_address: str, partition: int) -> None:
    async def run() -> None:
        async with connected(redis_address) as connections:
            assert await RedisSeenSet(connections, partition, "a", 1000).take_over() is None
            await build(RedisSeenSet(connections, partition, "a", 1000), digests(0, 10))
            assert await RedisSeenSet(connections, partition, "b", 1000).take_over() is None

    asyncio.run(run())


def test_who_was_succeeded_believes_the_filter_no_longer(
    redis_address: str, partition: int
) -> None:
    async def run() -> None:
        async with connected(redis_address) as connections:
            first = RedisSeenSet(connections, partition, "a", 1000)
            await build(first, digests(0, 10))
            first.reached(10)
            await first.add(digests(10, 11))
            second = RedisSeenSet(connections, partition, "b", 1000)
            assert await second.take_over() == 10
            second.reached(11)
            await first.add(digests(11, 12))
            assert all(await first.probably_seen(digests(0, 100)))
            assert first.behind()
            assert sum(await second.probably_seen(digests(50, 100))) < 5
            assert not second.behind()

    asyncio.run(run())


def test_the_generation_before_is_deleted_with_what_was_given_up(
    redis_address: str, partition: int
) -> None:
    async def run() -> None:
        async with connected(redis_address) as connections:
            seen = RedisSeenSet(connections, partition, "a", 1000)
            for _ in range(3):
                await seen.start_over(1)
                await build(seen, digests(0, 10))

    asyncio.run(run())
    with commanded(redis_address) as redis:
        keys = redis.keys(f"seen:{partition}*")
        assert isinstance(keys, list)
        name = f"seen:{partition}".encode()
        assert sorted(keys) == [name, name + b":3", name + b":3:mark"]


def test_its_user_may_do_nothing_else(redis_address: str, partition: int) -> None:
    name = f"seen{partition}"
    commands = ["+bf.reserve", "+bf.insert", "+bf.exists", "+bf.mexists", "+get", "+set", "+del"]

    async def run(username: str) -> None:
        connections = RedisConnections(endpoint(redis_address, username, "word"), SystemClock())
        try:
            seen = RedisSeenSet(connections, partition, "a", 1000)
            await build(seen, digests(0, 10))
            seen.reached(1)
            await seen.add(digests(10, 20))
            assert sum(await seen.probably_seen(digests(0, 100))) < 30
            assert await RedisSeenSet(connections, partition, "b").take_over() == 1
            with pytest.raises(NoPermissionError):
                await build(RedisSeenSet(connections, -partition, "a"), [])
        finally:
            await connections.close()

    with commanded(redis_address) as redis:
        rules = ["on", ">word", f"~seen:{partition}*", "-@all", *commands]
        redis.execute_command("ACL", "SETUSER", name, *rules)
        try:
            asyncio.run(run(name))
        finally:
            redis.execute_command("ACL", "DELUSER", name)


@pytest.mark.parametrize("seed", range(5))
def test_a_cancelled_caller_leaves_its_answer_to_nobody(
    redis_address: str, partition: int, seed: int
) -> None:
    chance = random.Random(seed)
    known, unknown = digests(0, 1000), digests(10_000, 11_000)

    async def ask(seen: RedisSeenSet, number: int) -> None:
        if number % 3 == 0:
            await seen.add(known[number : number + 50])
        elif number % 3 == 1:
            assert all(await seen.probably_seen(known[: number + 1]))
        else:
            assert sum(await seen.probably_seen(unknown[: number + 1])) < 10

    async def run() -> None:
        async with connected(redis_address) as connections:
            seen = RedisSeenSet(connections, partition, "a", 10_000)
            await build(seen, known)
            for _ in range(60):
                tasks = [asyncio.create_task(ask(seen, chance.randrange(900))) for _ in range(5)]
                for task in tasks:
                    await asyncio.sleep(chance.random() * 0.002)
                    task.cancel()
                ended = await asyncio.gather(*tasks, return_exceptions=True)
                wrong = [end for end in ended if isinstance(end, Exception)]
                assert not wrong
            added = digests(20_000, 20_100)
            late = asyncio.create_task(seen.add(added))
            await asyncio.sleep(0)
            late.cancel()
            await asyncio.gather(late, return_exceptions=True)
            await seen.settled()
            assert not seen.behind()
            assert all(await seen.probably_seen(added))
            assert sum(await seen.probably_seen(unknown)) < 10

    asyncio.run(run())


def test_what_is_asked_while_others_add_is_no_reason_for_doubt(
    redis_address: str, partition: int
) -> None:
    async def run() -> None:
        async with connected(redis_address) as connections:
            seen = RedisSeenSet(connections, partition, "a", 100_000)
            await build(seen, digests(0, 100))
            unknown = digests(50_000, 55_000)

            async def add(start: int) -> None:
                for first in range(start, start + 2000, 20):
                    await seen.add(digests(first, first + 20))

            async def ask() -> None:
                for _ in range(20):
                    assert sum(await seen.probably_seen(unknown)) < 50

            await asyncio.gather(add(1000), add(3000), ask(), ask())
            assert not seen.behind()
            assert all(await seen.probably_seen(digests(1000, 5000)))

    asyncio.run(run())
