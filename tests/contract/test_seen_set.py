"""One suite for every seen set."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nephila_storage.memory_seen_set import MemorySeenSet
from nephila_storage.redis_seen_set import RedisSeenSet
from nephila_storage.seen_set import SeenSet
from redis_sets import connected, digests, forget, fresh_partition

# Makes a set for at least 1,000 digests at 0.1 % false answers.
Make = Callable[[], SeenSet]
# Runs what makes sets, and clears up behind it.
Trial = Callable[[Callable[[Make], Awaitable[None]]], None]


@pytest.fixture
def in_memory() -> Trial:
    async def run(body: Callable[[Make], Awaitable[None]]) -> None:
        await body(lambda: MemorySeenSet(1000, 0.001))

    return lambda body: asyncio.run(run(body))


@pytest.fixture
def in_redis(redis_address: str) -> Trial:
    async def run(body: Callable[[Make], Awaitable[None]]) -> None:
        partition = fresh_partition()
        try:
            async with connected(redis_address) as connections:
                await body(lambda: RedisSeenSet(connections, partition, "tests", 1000, 0.001))
        finally:
            forget(redis_address, partition)

    return lambda body: asyncio.run(run(body))


async def built(make: Make, content: list[bytes]) -> SeenSet:
    seen = make()
    await seen.start_over(len(content))
    await seen.refill(content)
    await seen.switch_over()
    return seen


class SeenSetContract:
    """What each does; a class below for each."""

    def test_a_set_that_was_never_built_says_yes_to_everything(self, trial: Trial) -> None:
        async def run(make: Make) -> None:
            seen = make()
            assert await seen.probably_seen(digests(0, 5)) == [True] * 5
            await seen.add(digests(0, 2))
            assert await seen.probably_seen(digests(0, 5)) == [True] * 5
            assert not await seen.crowded()

        trial(run)

    @given(added=st.lists(st.binary(min_size=16, max_size=16), max_size=50))
    @settings(
        max_examples=25,
        deadline=None,
        suppress_health_check=[
            HealthCheck.function_scoped_fixture,
            HealthCheck.differing_executors,
        ],
    )
    def test_what_was_added_is_always_seen(self, trial: Trial, added: list[bytes]) -> None:
        async def run(make: Make) -> None:
            seen = await built(make, added[::2])
            await seen.add(added[1::2])
            assert all(await seen.probably_seen(added))

        trial(run)

    def test_what_was_not_added_is_hardly_ever_seen(self, trial: Trial) -> None:
        async def run(make: Make) -> None:
            seen = await built(make, digests(0, 500))
            await seen.add(digests(500, 1000))
            assert sum(await seen.probably_seen(digests(1000, 11000))) < 30

        trial(run)

    def test_it_is_crowded_at_four_fifths_and_roomy_after_a_rebuild(self, trial: Trial) -> None:
        async def run(make: Make) -> None:
            seen = await built(make, digests(0, 799))
            assert not await seen.crowded()
            more = 0
            while not await seen.crowded():
                await seen.add(digests(1000 + more, 1100 + more))
                more += 100
                assert more < 10_000
            everything = digests(0, 799) + digests(1000, 1000 + more)
            await seen.start_over(len(everything))
            await seen.refill(everything)
            await seen.switch_over()
            assert not await seen.crowded()
            assert all(await seen.probably_seen(everything))

        trial(run)

    def test_the_old_one_answers_and_the_new_one_learns_while_it_is_built(
        self, trial: Trial
    ) -> None:
        async def run(make: Make) -> None:
            seen = await built(make, digests(0, 10))
            await seen.start_over(10)
            await seen.refill(digests(0, 5))
            await seen.add(digests(10, 20))
            assert all(await seen.probably_seen(digests(0, 20)))
            await seen.refill(digests(5, 10))
            await seen.switch_over()
            assert all(await seen.probably_seen(digests(0, 20)))

        trial(run)

    def test_starting_over_twice_forgets_the_first_start(self, trial: Trial) -> None:
        async def run(make: Make) -> None:
            seen = await built(make, digests(0, 10))
            await seen.start_over(10)
            await seen.refill(digests(100, 200))
            await seen.start_over(10)
            await seen.refill(digests(0, 10))
            await seen.switch_over()
            assert sum(await seen.probably_seen(digests(100, 200))) < 5
            await seen.switch_over()
            await seen.refill(digests(300, 310))
            assert sum(await seen.probably_seen(digests(300, 310))) < 5

        trial(run)


class TestMemorySeenSet(SeenSetContract):
    @pytest.fixture
    def trial(self, in_memory: Trial) -> Trial:
        return in_memory


class TestRedisSeenSet(SeenSetContract):
    @pytest.fixture
    def trial(self, in_redis: Trial) -> Trial:
        return in_redis
