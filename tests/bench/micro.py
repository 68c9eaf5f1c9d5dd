"""CPU time of our own hot functions, a page each: `make bench-micro [ARGS="name ..."]`.

Rounds are interleaved (a b c, a b c, ...), so that a slow spell of the machine falls on all alike, and
ratios within one run are what to trust. Prints one JSON object; asserts nothing.
"""

import asyncio
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable

import cases
from pages import pages

PAGES = 100
ROUNDS = 7


def cpu_ms(run: Callable[[], object]) -> float:
    gc.collect()
    started = time.process_time()
    run()
    return (time.process_time() - started) * 1000


def awaited(case: cases.Case) -> Callable[[], object]:
    """The same call for plain functions and for stores, whose methods are coroutines."""

    def run() -> object:
        result = case()
        return asyncio.run(result) if asyncio.iscoroutine(result) else result

    return run


def main(wanted: list[str]) -> int:
    every = cases.of(pages(PAGES))
    unknown = set(wanted) - every.keys()
    if unknown:
        print(f"no such case: {', '.join(sorted(unknown))}; there are: {', '.join(every)}")
        return 2
    chosen = {name: awaited(case) for name, case in every.items() if not wanted or name in wanted}
    for run in chosen.values():
        run()
    taken: dict[str, list[float]] = {name: [] for name in chosen}
    for _ in range(ROUNDS):
        for name, run in chosen.items():
            taken[name].append(cpu_ms(run) / PAGES)
    figures = {
        name: {
            "cpu_ms_a_page": round(statistics.median(times), 4),
            "best": round(min(times), 4),
            "worst": round(max(times), 4),
        }
        for name, times in taken.items()
    }
    print(json.dumps({"pages": PAGES, "rounds": ROUNDS, "figures": figures}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
