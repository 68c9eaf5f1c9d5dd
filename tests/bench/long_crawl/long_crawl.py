"""A long crawl of an endless web: does it slow down? `make bench-long [ARGS="--pages 60000"]`.

The crawler's whole tree runs on core 0, the web and this program on core 1. Every 5,000 pages: CPU time
of the tree, the fixed work of `kernel` timed beside it on the same core, memory, the state on disk.
Writes `samples.json` and `plot.svg` into the work folder and prints the points as JSON; asserts nothing.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

from kernel import kernel_seconds
from nephila_testkit.web.server import running
from nephila_testkit.web.shape import WebShape
from plot import svg
from process_tree import usage
from samples import Sample, growth, points

_CHECKOUT = Path(__file__).resolve().parents[3]
_CRAWLER_CORE, _SERVER_CORE = 0, 1
# Each page brings two new URLs, and 14 that are known for the most part: 2.6 KB.
_WEB = WebShape(
    hosts=200,
    links_per_page=14,
    words_per_page=250,
    foreign_links=30,
    addressing="address",
    network=71,
    port=8071,
)


def main() -> int:
    options = _options()
    if (os.cpu_count() or 1) < 2:
        print("make bench-long needs two cores")
        return 2
    work: Path = options.work
    shutil.rmtree(work / "crawl", ignore_errors=True)
    work.mkdir(parents=True, exist_ok=True)
    seeds = work / "seeds.txt"
    seeds.write_text("".join(f"{_WEB.origin(host)}/\n" for host in range(_WEB.hosts)))
    os.sched_setaffinity(0, {_SERVER_CORE})
    # So that the web and the crawl end with this process.
    signal.signal(signal.SIGTERM, _end)
    samples: list[Sample] = []
    with running(_WEB, Path(os.devnull), endless=True):
        for sample in _crawl(work, seeds, options.pages, options.every):
            samples.append(sample)
            print(json.dumps(asdict(sample)), file=sys.stderr, flush=True)
    made = points(samples)
    if not made:
        print("make bench-long: too few pages for a figure: 15,000 at least", file=sys.stderr)
        return 2
    result = {"growth": growth(made), "points": [asdict(point) for point in made]}
    (work / "samples.json").write_text(json.dumps([asdict(sample) for sample in samples]))
    (work / "plot.svg").write_text(svg(made))
    print(json.dumps(result))
    return 0


def _end(_signal: int, _frame: FrameType | None) -> None:
    sys.exit(2)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make bench-long", description=__doc__)
    parser.add_argument("--pages", type=int, default=300_000)
    parser.add_argument("--every", type=int, default=5_000, help="pages between two samples")
    parser.add_argument("--work", type=Path, default=_CHECKOUT / "run" / "long-crawl")
    return parser.parse_args()


def _crawl(work: Path, seeds: Path, pages: int, every: int) -> Iterator[Sample]:
    into = work / "crawl"
    command = [str(_CHECKOUT / ".venv/bin/nephila"), "crawl", "--seeds", str(seeds)]
    command += ["--into", str(into), "--pages", str(pages), "--scope", "any", "--delay", "0"]
    command += ["--allow-network", "127.0.0.0/8", "--workers", "1", "--json"]
    began = time.monotonic()
    with (work / "crawl.log").open("wb") as log:
        process = subprocess.Popen(
            ["taskset", "-c", str(_CRAWLER_CORE), *command], stdout=subprocess.PIPE, stderr=log
        )
    due = every
    assert process.stdout is not None
    try:
        for line in process.stdout:
            told = json.loads(line)
            if told["pages"] >= due and told["event"] == "progress":
                due += every
                yield _sample(told, process.pid, into, time.monotonic() - began)
    except BaseException:
        process.terminate()
        raise
    finally:
        process.stdout.close()
        process.wait()
    if process.returncode:
        raise SystemExit(f"make bench-long: the crawl failed: see {work / 'crawl.log'}")


def _sample(told: dict[str, Any], pid: int, into: Path, seconds: float) -> Sample:
    used = usage(pid)
    # Nearly the rows of url_state: counting those would read the table, and hold up checkpoints.
    known = told["pages"] + told["queued"] + told["leased"] + sum(told["failed"].values())
    return Sample(
        seconds=round(seconds, 2),
        pages=told["pages"],
        known=known,
        cpu=round(used.cpu, 2),
        kernel=round(kernel_seconds(_CRAWLER_CORE), 5),
        resident_bytes=used.resident_bytes,
        state_bytes=_size(into / "state.sqlite"),
        wal_bytes=_size(into / "state.sqlite-wal"),
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


if __name__ == "__main__":
    sys.exit(main())
