"""This product beside Scrapy and colly on the bench web: `make bench [ARGS="--pages 4000 ..."]`.

Rounds are interleaved (a b c, a b c, ...): the machine drifts by 40 %, so ratios within a round are what
to trust. Prints a table, then one JSON object; asserts nothing. See ../README.md.
"""

import argparse
import json
import os
import shutil
import signal
import sys
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import bench_web
import report
from crawlers import CRAWLERS, Crawler
from measured import Run, adopt_orphans, measure

# Of a run that is not counted: what is imported gets compiled, the server's pages come off the disk.
_FIRST_PAGES = 50


def main() -> int:
    options = _options()
    if not bench_web.SHARED.exists():
        print(f"make bench: left out, there is no {bench_web.SHARED}")
        return 0
    missing = [tool for tool in ("go", "taskset") if shutil.which(tool) is None]
    if missing or (os.cpu_count() or 1) < 2:
        print(f"make bench needs two cores and on the path: go, taskset; missing: {missing}")
        return 2
    chosen = [crawler for crawler in CRAWLERS if crawler.name in options.crawlers]
    options.work.mkdir(parents=True, exist_ok=True)
    bench_web.prepare(options.work)
    for crawler in chosen:
        crawler.prepare(options.work)
    adopt_orphans()
    # Ended from outside it still ends what it started.
    signal.signal(signal.SIGTERM, lambda _number, _frame: sys.exit(143))
    with bench_web.served(options.work):
        runs = _rounds(chosen, options)
    figures = report.figures(runs)
    print(report.table(figures))
    every = {name: [asdict(run) for run in taken] for name, taken in runs.items()}
    print(json.dumps({"figures": figures, "runs": every}))
    return 0


def _options() -> argparse.Namespace:
    names = [crawler.name for crawler in CRAWLERS]
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("--pages", type=int, default=4_000, help="of each run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--crawlers", nargs="+", choices=names, default=names)
    parser.add_argument("--work", type=Path, default=Path(gettempdir()) / "nephila-bench")
    return parser.parse_args()


def _rounds(chosen: list[Crawler], options: argparse.Namespace) -> dict[str, list[Run]]:
    for crawler in chosen:
        _one(crawler, options, _FIRST_PAGES)
    runs: dict[str, list[Run]] = {crawler.name: [] for crawler in chosen}
    for number in range(options.rounds):
        for crawler in chosen:
            run = _one(crawler, options, options.pages)
            runs[crawler.name].append(run)
            words = f"{run.cpu_per_1000:.2f} CPU s for 1,000 of {run.pages} pages"
            print(f"round {number + 1}: {crawler.name}: {words}", file=sys.stderr, flush=True)
            if run.exit_status or run.pages < options.pages / 2:
                raise SystemExit(f"make bench: {crawler.name} failed: see {options.work}/logs")
    return runs


def _one(crawler: Crawler, options: argparse.Namespace, pages: int) -> Run:
    logs = options.work / "logs"
    logs.mkdir(exist_ok=True)
    with TemporaryDirectory(dir=options.work) as folder:
        command = crawler.command(options.work, Path(folder) / "crawl", pages)
        return measure(command, logs / f"{crawler.name}.log", options.work / "bytecode")


if __name__ == "__main__":
    sys.exit(main())
