"""`nephila crawl` that kills itself at the n-th passing of a named point: SIGKILL, to all of its processes.

    python tests/fault/dying_crawl.py POINT N URL --into DIR [options of nephila crawl]

Beside the points of the embedded host there are `synced` (an archive's or an export's new bytes are
on disk, their transaction is not) and `within commit` (at some instant of SQLite's own work on the
write-ahead log and, since checkpoints are made frequent here, on the database file).
"""

import asyncio
import os
import random
import signal
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from nephila_runtime.database import Database
from nephila_runtime.embedded_host import commit_in_thread
from nephila_standalone import cli, pipeline
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import CrawlDirectory
from nephila_standalone.progress import Progress
from nephila_standalone.settings import StandaloneSettings
from nephila_standalone.surroundings import real_surroundings
from nephila_storage.append_file import sync_in_thread

_LONGEST_COMMIT_S = 0.004
_PAGES_TO_CHECKPOINT = 20


class Death:
    """Waits for its point."""

    def __init__(self, point: str, passes: int) -> None:
        self._point = point
        self._left = passes

    def reach(self, point: str) -> None:
        if self.has_come(point):
            die()

    def has_come(self, point: str) -> bool:
        self._left -= point == self._point
        return point == self._point and self._left <= 0

    async def sync(self, descriptor: int) -> None:
        await sync_in_thread(descriptor)
        self.reach("synced")

    async def commit(self, database: Database) -> None:
        if not self.has_come("within commit"):
            await commit_in_thread(database)
            return
        committing = asyncio.ensure_future(commit_in_thread(database))
        await asyncio.sleep(random.uniform(0, _LONGEST_COMMIT_S))
        die()
        await committing


def die() -> None:
    """The whole group, itself included; parsers have sessions of their own and must notice by themselves."""
    os.killpg(os.getpgrp(), signal.SIGKILL)


def open_with_checkpoints(path: Path) -> Database:
    database = Database.open(path)
    database.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_TO_CHECKPOINT}")
    return database


def dying(death: Death) -> Callable[..., Awaitable[Progress]]:
    """What `nephila crawl` runs, in surroundings that hold a death."""

    async def run_crawl(
        plan: CrawlPlan,
        directory: CrawlDirectory,
        *,
        on_progress: Callable[[Progress], None],
        stop: asyncio.Event,
    ) -> Progress:
        async with real_surroundings(plan) as machine:
            around = replace(
                machine,
                reach=death.reach,
                sync=death.sync,
                commit=death.commit,
                open_database=open_with_checkpoints,
            )
            settings = StandaloneSettings()
            run = pipeline.CrawlRun(plan, directory, around, settings, on_progress, stop)
            return await run.to_end()

    return run_crawl


def main() -> None:
    point, passes = sys.argv[1], int(sys.argv[2])
    sys.argv[1:3] = ["crawl"]
    pipeline.run_crawl = dying(Death(point, passes))  # pyright: ignore[reportAttributeAccessIssue]
    cli.main()


if __name__ == "__main__":
    main()
