"""What the frontier costs: CPU a page at steady state, memory a known host, time to start again.

    PYTHONPATH=tests/support .venv/bin/python tests/bench/frontier_cost.py

SQLite is in memory, so that nothing but the frontier and its statements is measured. Prints JSON.
"""

import gc
import json
import time
import tracemalloc
from collections.abc import Callable
from typing import TypeVar

from frontier_crawls import Crawl
from frontier_driver import admitted, fetched
from nephila_contracts.v1.url_pb2 import Origin

T = TypeVar("T")


class Stopwatch:
    """CPU seconds by name."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, name: str, work: Callable[[], T]) -> T:
        began = time.process_time()
        done = work()
        self.seconds[name] = self.seconds.get(name, 0.0) + time.process_time() - began
        return done


def steady_state(hosts: int = 200, rounds: int = 100) -> dict[str, float]:
    """Milliseconds a page where each page brings one new URL, outcomes coming back by twenties."""
    crawl, watch, pages, made = Crawl(), Stopwatch(), 0, 0
    for turn in range(20 + rounds):
        records = [
            crawl.record(
                admitted(
                    f"https://www.host{n % hosts}.test/some/path/to/page-{n}.html",
                    origin=Origin(topic="url_discovered", offset=n),
                    depth=2,
                )
            )
            for n in range(made, made + hosts)
        ]
        made += hosts
        watch("admit", lambda records=records: crawl.step("admit", records))
        if turn < 20:
            watch.seconds.clear()
            continue
        crawl.clock.at += 1.001
        requests = watch("dispatch", crawl.dispatch)
        outcomes = [fetched(r, ip=f"192.0.2.{n}") for n, r in enumerate(requests)]
        for begin in range(0, len(outcomes), 20):
            part = outcomes[begin : begin + 20]
            watch("release", lambda part=part: crawl.complete(*part))
        pages += len(outcomes)
    crawl.close()
    figures = {name: seconds * 1000 / pages for name, seconds in watch.seconds.items()}
    return {**figures, "together": sum(figures.values())}


def many_hosts(hosts: int = 100_000) -> dict[str, float]:
    """Bytes a known host with a URL queued, without SQLite's; CPU seconds of a start."""
    crawl, watch = Crawl(), Stopwatch()
    gc.collect()
    tracemalloc.start()
    for begin in range(0, hosts, 500):
        crawl.admit(*(f"https://www.host-{n}.test/page.html" for n in range(begin, begin + 500)))
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    watch("start", crawl.start)
    crawl.clock.at += 100
    watch("first dispatch", crawl.dispatch)
    crawl.close()
    return {"bytes_a_host": size / hosts, **watch.seconds}


if __name__ == "__main__":
    print(json.dumps({"ms_a_page": steady_state(), "many_hosts": many_hosts()}, indent=2))
