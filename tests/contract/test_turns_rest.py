"""How far apart the embedded host's turns begin."""

import asyncio
from datetime import timedelta
from itertools import pairwise

import pytest
from nephila_runtime.database import Database
from nephila_runtime.embedded_host import EmbeddedHost, EmbeddedSettings
from nephila_runtime.virtual_time import VirtualClock, run_virtual
from nephila_testkit.conformance.host_harness import discovered, service

SETTINGS = EmbeddedSettings(
    least_turn=timedelta(milliseconds=20),
    rest_factor=2.0,
    longest_rest=timedelta(milliseconds=150),
)


@pytest.mark.parametrize(
    ("commit_seconds", "apart"),
    [(0.0, 0.02), (0.005, 0.02), (0.03, 0.09), (0.5, 0.65)],
)
def test_a_turn_is_followed_by_a_rest_of_twice_its_time_within_bounds(
    commit_seconds: float, apart: float
) -> None:
    database = Database.in_memory()
    begun: list[float] = []

    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())

        async def commit(database: Database) -> None:
            begun.append(clock.now())
            await clock.sleep(commit_seconds)
            database.execute("COMMIT")

        host = EmbeddedHost(database, [service()], clock, settings=SETTINGS, commit=commit)
        stop = asyncio.Event()
        running = asyncio.create_task(host.run(stop))
        for number in range(4):
            await host.publish([discovered("a.test", str(number))])
        stop.set()
        await running

    run_virtual(main())
    database.close()
    gaps = [later - sooner for sooner, later in pairwise(begun)]
    # The transaction in which the services are assigned comes first, and rests not.
    assert gaps[1:] == pytest.approx([apart] * len(gaps[1:]))
