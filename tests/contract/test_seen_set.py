"""One suite for every seen set. RedisSeenSet joins by a line in SEEN_SETS."""

import asyncio
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nephila_storage.memory_seen_set import MemorySeenSet
from nephila_storage.seen_set import SeenSet
from nephila_urls import canonicalise, url_digest

# Each makes a set for at least 1,000 digests at 0.1 % false answers.
SEEN_SETS: list[Callable[[], SeenSet]] = [lambda: MemorySeenSet(1000, 0.001)]
pytestmark = pytest.mark.parametrize("make", SEEN_SETS, ids=["memory"])


def digests(start: int, end: int) -> list[bytes]:
    return [url_digest(canonicalise(f"http://a.test/{number}")) for number in range(start, end)]


async def built(make: Callable[[], SeenSet], content: list[bytes]) -> SeenSet:
    seen = make()
    await seen.start_over(len(content))
    await seen.refill(content)
    await seen.switch_over()
    return seen


def test_a_set_that_was_never_built_says_yes_to_everything(make: Callable[[], SeenSet]) -> None:
    async def run() -> None:
        seen = make()
        assert await seen.probably_seen(digests(0, 5)) == [True] * 5
        await seen.add(digests(0, 2))
        assert await seen.probably_seen(digests(0, 5)) == [True] * 5
        assert not await seen.crowded()

    asyncio.run(run())


@given(added=st.lists(st.binary(min_size=16, max_size=16), max_size=50))
@settings(max_examples=25)
def test_what_was_added_is_always_seen(make: Callable[[], SeenSet], added: list[bytes]) -> None:
    async def run() -> None:
        seen = await built(make, added[::2])
        await seen.add(added[1::2])
        assert all(await seen.probably_seen(added))

    asyncio.run(run())


def test_what_was_not_added_is_hardly_ever_seen(make: Callable[[], SeenSet]) -> None:
    async def run() -> None:
        seen = await built(make, digests(0, 500))
        await seen.add(digests(500, 1000))
        assert sum(await seen.probably_seen(digests(1000, 11000))) < 30

    asyncio.run(run())


def test_it_is_crowded_at_four_fifths_and_roomy_after_a_rebuild(
    make: Callable[[], SeenSet],
) -> None:
    async def run() -> None:
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

    asyncio.run(run())


def test_the_old_one_answers_and_the_new_one_learns_while_it_is_built(
    make: Callable[[], SeenSet],
) -> None:
    async def run() -> None:
        seen = await built(make, digests(0, 10))
        await seen.start_over(10)
        await seen.refill(digests(0, 5))
        await seen.add(digests(10, 20))
        assert all(await seen.probably_seen(digests(0, 20)))
        await seen.refill(digests(5, 10))
        await seen.switch_over()
        assert all(await seen.probably_seen(digests(0, 20)))

    asyncio.run(run())


def test_starting_over_twice_forgets_the_first_start(make: Callable[[], SeenSet]) -> None:
    async def run() -> None:
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

    asyncio.run(run())
