"""What the Kafka host costs: CPU time of this process a message and a turn, `kafka_host_cost.py HOST:PORT`.

A service in batches of 500 that emits one message for each that it gets, and one that goes by key; bodies
of 400 bytes (links) and of 25 KB (pages). The broker's own time is not in it. Prints JSON, a line a case.
"""

import asyncio
import json
import os
import resource
import sys
import time
from collections.abc import Sequence
from typing import Any

from kafka_harness import KafkaHarness, fresh_settings, made
from nephila_contracts import topics
from nephila_contracts.v1.url_pb2 import DiscoveredLink, UrlDiscovered
from nephila_runtime import ByKey, Emit, Handled, Record, WholeBatches
from nephila_runtime.event_loop import run
from nephila_testkit.conformance.host_harness import echo, service


def cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def message(number: int, size: int) -> Emit[UrlDiscovered]:
    site = f"s{number % 100}.test"
    link = DiscoveredLink(url=f"https://{site}/{number}", anchor=os.urandom(size // 2).hex())
    return Emit(topics.URL_DISCOVERED, site, UrlDiscovered(site_key=site, links=[link]))


async def case(
    address: str, name: str, count: int, size: int, order: ByKey | WholeBatches, **how: Any
) -> None:
    harness = KafkaHarness(await made(fresh_settings(address, partitions=8)), **how)
    await harness.publish([message(i, size) for i in range(count)])
    done = turns = 0

    async def handle(batch: Sequence[Record[Any]]) -> Handled:
        nonlocal done, turns
        done += len(batch)
        turns += 1
        return await echo(batch)

    began = [0.0, 0.0]

    def until() -> bool:
        if done and not began[0]:
            began[:] = [time.monotonic(), cpu_s()]
        return done >= count

    await harness.run([service(handle, order=order)], until=until)
    wall, cpu = time.monotonic() - began[0], cpu_s() - began[1]
    found = {"us_a_message": round(cpu / count * 1e6, 1), "messages_a_s": round(count / wall)}
    print(json.dumps({"case": name, "messages": count, "handles": turns, **found}), flush=True)


async def idle(address: str) -> None:
    harness = KafkaHarness(await made(fresh_settings(address, partitions=8)))
    host = harness.host(service())
    stop = asyncio.Event()
    running = asyncio.create_task(host.run(stop))
    await asyncio.sleep(3)
    assert host.partitions()
    began = cpu_s()
    await asyncio.sleep(5)
    print(json.dumps({"case": "idle", "cpu_ms_a_s": round((cpu_s() - began) / 5 * 1000, 2)}))
    stop.set()
    await running


async def main(address: str) -> None:
    batches = WholeBatches(500)
    await case(address, "batches of links", 40_000, 400, batches)
    await case(
        address, "batches of links in transactions", 40_000, 400, batches, transactional=True
    )
    await case(address, "batches of pages", 4_000, 25_000, WholeBatches(100))
    await case(address, "by key", 20_000, 400, ByKey(256))
    await case(address, "one a turn", 300, 400, WholeBatches(1))
    await idle(address)


if __name__ == "__main__":
    run(main(sys.argv[1]))
