"""`nephila crawl` from an opened DIR to its end, over every failure that a new run can mend.

The host is crash-only: when a turn fails, its run ends and a new assembly is built from DIR, as after
kill -9. A full disk is waited for, a failing one ends the crawl at once; any other fault is tried again
a few times, then shown.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from nephila_runtime import Emit, Service, SystemClock
from nephila_runtime.database import Database
from nephila_storage.append_file import AppendFileDamaged
from nephila_storage.file_warc_store import sort_indexes
from nephila_storage.sqlite_last_end import SqliteLastEnd

from nephila_standalone.assembly import Assembly, assemble, seed_emits
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import CrawlDirectory, DirectoryPaths
from nephila_standalone.downstream import FreeSpace, plenty
from nephila_standalone.drive import Drive, Meter, Patience
from nephila_standalone.errors import (
    DiskStayedFull,
    OtherCrawl,
    is_disk_failing,
    is_disk_full,
)
from nephila_standalone.fault_log import FaultLog
from nephila_standalone.progress import CrawlState, FinishReason, Progress
from nephila_standalone.seed_retries import retry_emits
from nephila_standalone.settings import StandaloneSettings
from nephila_standalone.surroundings import Surroundings, real_surroundings

_LOOK_AT_DISK_EVERY = 1.0


async def run_crawl(
    plan: CrawlPlan,
    directory: CrawlDirectory,
    *,
    on_progress: Callable[[Progress], None],
    stop: asyncio.Event,
) -> Progress:
    """Crawls on the machine's own surroundings. See `progress.RunCrawl`."""
    async with real_surroundings(plan, FaultLog(directory.log, SystemClock().wall_ms)) as around:
        run = CrawlRun(plan, directory, around, StandaloneSettings(), on_progress, stop)
        last = await run.to_end()
    sort_indexes(directory.warc)
    return last


class CrawlRun:
    """One run of a plan on DIR: as many assemblies as it takes."""

    def __init__(
        self,
        plan: CrawlPlan,
        paths: DirectoryPaths,
        around: Surroundings,
        settings: StandaloneSettings,
        on_progress: Callable[[Progress], None],
        stop: asyncio.Event,
    ) -> None:
        self._plan = plan
        self._paths = paths
        self._around = around
        self._settings = settings
        self._tell = on_progress
        self._stop = stop
        self._meter = Meter(around.clock)
        self._space = FreeSpace(paths.path, settings.disk_reserve, around.clock)
        self._log = FaultLog(paths.log, around.clock.wall_ms)
        self._last = Progress()
        self._failures = 0
        self._begun = False

    async def to_end(self) -> Progress:
        while True:
            try:
                return await self._once()
            except AppendFileDamaged as damage:
                fault, _, mend = str(damage).partition(": ")
                raise OtherCrawl(fault, mend) from damage
            except DiskStayedFull:
                raise
            except Exception as error:
                await self._outlive(error)
            if self._stop.is_set():
                return replace(self._last, state=CrawlState.DONE, finish=FinishReason.STOPPED)

    async def _once(self) -> Progress:
        database = self._around.open_database(self._paths.state)
        try:
            assembly = assemble(self._plan, self._paths, database, self._around, self._space.low)
            try:
                last = await self._drive(assembly, database)
            finally:
                assembly.close()
            SqliteLastEnd(database).note(self._around.boot, self._around.clock.now())
            return last
        finally:
            database.close()

    async def _drive(self, assembly: Assembly, database: Database) -> Progress:
        pages_at_start = assembly.tally.judged

        def tell(progress: Progress) -> None:
            self._last = progress
            if assembly.tally.judged > pages_at_start:
                self._failures = 0
            self._tell(progress)

        first: list[Emit[Any]] = [*seed_emits(self._plan)]
        if not self._begun:
            self._begun = True
            first += retry_emits(database, self._plan.seeds)
        settings, clock = self._settings, self._around.clock
        patience = Patience(
            hosts=max(settings.host_patience, 3 * (self._plan.delay or timedelta())),
            disk=settings.disk_patience,
        )
        return await Drive(assembly, clock, self._meter, patience, tell, self._stop).to_end(first)

    async def _outlive(self, error: Exception) -> None:
        """Waits until a new assembly may go better; raises the error when that was tried enough."""
        self._log.error("run ended, built anew from DIR", failures=self._failures, exc_info=error)
        failing = is_disk_failing(error)
        # SQLite tells a full disk as a failing one where it enlarges its shared memory.
        if is_disk_full(error) or (failing and self._space.is_low_now()):
            await self._wait_for_space()
            return
        if failing:
            # A kernel forgets what an fsync could not write, and the next fsync succeeds without it: to
            # try again would be to believe it.
            raise error
        self._failures += 1
        if self._failures > self._settings.most_restarts:
            raise error
        await self._around.clock.sleep(0.1 * 2**self._failures)

    async def _wait_for_space(self) -> None:
        clock = self._around.clock
        give_up_at = clock.now() + self._settings.disk_patience.total_seconds()
        while not self._stop.is_set():
            if clock.now() >= give_up_at:
                raise DiskStayedFull
            self._tell(
                replace(
                    self._last,
                    state=CrawlState.PAUSED,
                    elapsed=self._meter.elapsed(),
                    paused_by="the disk of DIR is full",
                )
            )
            await clock.sleep(_LOOK_AT_DISK_EVERY)
            if not self._space.is_low_now():
                return


def describe() -> tuple[Service, ...]:
    """Every service as wired, for the generated page docs/data-flow.md. Nothing runs."""
    with TemporaryDirectory() as folder:
        return asyncio.run(_assembled(Path(folder)))


async def _assembled(folder: Path) -> tuple[Service, ...]:
    plan = CrawlPlan(seeds=("https://example.org/",), into=folder, workers=0)
    database = Database.in_memory()
    async with real_surroundings(plan) as around:
        assembly = assemble(plan, DirectoryPaths(folder), database, around, plenty)
    assembly.close()
    database.close()
    return assembly.services
