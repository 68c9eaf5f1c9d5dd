"""The bench web of ../shared/bench: built and served from a work folder, since that one is read-only.

200 hosts on 127.1.1.1 to 127.1.200.1, port 8080, 100 pages each made from 351 real ones (75 KB, 149
links). Its server counts what it served, on 127.0.0.1:8079.
"""

import gzip
import json
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHECKOUT = Path(__file__).resolve().parents[3]
SHARED = CHECKOUT.parent / "shared" / "bench"
SERVER_CORE = 1
PAGE_COUNT = 20_000
_STATS = "http://127.0.0.1:8079/stats"
_PORT_TAKEN = "something answers on 127.0.0.1:8079 already: stop that bench web first"


def prepare(work: Path) -> None:
    """Copies and builds what is missing in the work folder; the pages take two minutes, once."""
    web = work / "benchweb"
    if not (web / "bench_web").exists():
        copy_sources(SHARED / "benchweb", web)
        _run(["go", "build", "-o", "bench_web", "."], web)
    if not (web / "web.pack").exists():
        _say("making the pages of the bench web: 1.9 GB, two minutes")
        templates = work / "templates.json"
        with gzip.open(SHARED / "corpus" / "templates.json.gz") as packed:
            templates.write_bytes(packed.read())
        # Under another name first: a pack cut short would be served.
        _run(["./bench_web", "gen", "-templates", str(templates), "-out", "web.part"], web)
        (web / "web.part").rename(web / "web.pack")


def copy_sources(source: Path, target: Path) -> None:
    """A folder's files without their modes: the originals may not be written to."""
    target.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        if path.is_file():
            shutil.copyfile(path, target / path.name)


@contextmanager
def served(work: Path) -> Generator[None]:
    """The web on its own core, until the block ends."""
    if _answers():
        raise SystemExit(f"make bench: {_PORT_TAKEN}")
    command = ["taskset", "-c", str(SERVER_CORE), "./bench_web", "serve", "-pack", "web.pack"]
    web = work / "benchweb"
    with (web / "server.log").open("wb") as log:
        server = subprocess.Popen(
            command, cwd=web, stdout=log, stderr=log, env={**os.environ, "GOMAXPROCS": "1"}
        )
    try:
        deadline = time.monotonic() + 30
        while not _answers():
            if server.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"make bench: the bench web did not start: see {web}/server.log")
            time.sleep(0.1)
        yield
    finally:
        server.terminate()
        server.wait()


def counts(*, reset: bool = False) -> dict[str, Any]:
    """What the server has served since it was last reset."""
    with urllib.request.urlopen(_STATS + ("?reset=1" if reset else ""), timeout=5) as answer:
        return json.load(answer)


def _answers() -> bool:
    try:
        counts()
    except OSError:
        return False
    return True


def _run(command: list[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True)


def _say(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
