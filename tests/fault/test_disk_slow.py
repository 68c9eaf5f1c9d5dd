"""A disk that takes half a second for everything that is to be durable: simulated time."""

import asyncio
from dataclasses import replace
from pathlib import Path

from nephila_runtime.database import Database
from nephila_runtime.embedded_host import commit_inline
from nephila_runtime.virtual_time import VirtualClock, run_virtual
from nephila_standalone.progress import FinishReason, Progress
from nephila_testkit.checker import Terms, judge
from nephila_testkit.checker.outputs import read_outputs
from nephila_testkit.web import SyntheticWeb, WebShape, reachable
from nephila_testkit.web.virtual_network import SyntheticTransport
from simulation import Simulation

SYNC_S = 0.5
# A turn makes three files and the database durable; a page's links take three turns to their hosts.
MOST_SECONDS_A_PAGE = 16 * SYNC_S


async def slow_sync(_descriptor: int) -> None:
    await asyncio.sleep(SYNC_S)


async def slow_commit(database: Database) -> None:
    await asyncio.sleep(SYNC_S)
    await commit_inline(database)


def test_a_slow_disk_slows_a_crawl_and_breaks_no_law(tmp_path: Path) -> None:
    web = SyntheticWeb(WebShape(seed=9, hosts=8, pages_per_host=12, hosts_per_site=1).calm())
    simulation = Simulation(web, tmp_path)
    transport = SyntheticTransport(web)

    async def crawl() -> Progress:
        clock = VirtualClock(asyncio.get_running_loop())
        around = simulation.surroundings(clock, transport)
        return await simulation.go_on(replace(around, sync=slow_sync, commit=slow_commit))

    ended = run_virtual(crawl())
    assert ended.finish is FinishReason.NOTHING_LEFT
    seeds = simulation.plan().seeds
    report = judge(transport.log(), Terms(1.0), reachable(web, seeds), read_outputs(tmp_path))
    assert report.is_clean, report.to_json()
    longest_queue = max(len(host.nodes) for host in web.hosts)
    assert ended.elapsed < longest_queue * MOST_SECONDS_A_PAGE
