"""Checks a second that one process makes of a seen set in Redis: `redis_seen_set_speed.py HOST:PORT`.

A million digests in it; asked in groups of 500 to 5,000, half of them known. Prints JSON, a line a case.
"""

import asyncio
import json
import random
import resource
import sys
import time

from nephila_storage.redis_seen_set import RedisSeenSet
from redis_sets import connected, forget, fresh_partition

KNOWN = 1_000_000
CHECKS = 500_000


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def tell(case: str, count: int, began: tuple[float, float], **more: object) -> None:
    wall, cpu = time.monotonic() - began[0], cpu_s() - began[1]
    found = {"a_second": round(count / wall), "us_of_cpu_each": round(cpu / count * 1e6, 2)}
    print(json.dumps({"case": case, "digests": count, **found, **more}), flush=True)


async def checks(seen: RedisSeenSet, known: list[bytes], group: int, at_once: int) -> None:
    chance = random.Random(group)
    groups = [
        [chance.choice(known) if n % 2 else chance.randbytes(16) for n in range(group)]
        for _ in range(CHECKS // group)
    ]
    began = (time.monotonic(), cpu_s())
    yes = 0
    for first in range(0, len(groups), at_once):
        asked = (seen.probably_seen(each) for each in groups[first : first + at_once])
        yes += sum(map(sum, await asyncio.gather(*asked)))
    beyond = (yes - CHECKS // 2) / (CHECKS // 2)
    tell("checks", CHECKS, began, group=group, at_once=at_once, false_yes=round(beyond, 5))


async def main(address: str) -> None:
    chance = random.Random(1)
    known = [chance.randbytes(16) for _ in range(KNOWN)]
    partition = fresh_partition()
    try:
        async with connected(address) as connections:
            seen = RedisSeenSet(connections, partition, "bench", 2 * KNOWN)
            await seen.start_over(KNOWN // 2)
            began = (time.monotonic(), cpu_s())
            for first in range(0, KNOWN, 10_000):
                await seen.refill(known[first : first + 10_000])
            await seen.switch_over()
            tell("refill", KNOWN, began)
            for group, at_once in ((500, 1), (2_000, 1), (5_000, 1), (500, 8)):
                await checks(seen, known, group, at_once)
    finally:
        forget(address, partition)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
