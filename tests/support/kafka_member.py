"""A process that runs one service on Kafka: from url_discovered to url_admitted, telling what it does in a
file, a line an event. Started, stopped and killed by the tests of tests/integration/kafka.

`kafka_member.py TOLD < plan`: the plan is a JSON object, see `Plan`.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from kafka_harness import QUICK
from nephila_contracts.v1.url_pb2 import UrlDiscovered
from nephila_runtime import Assignment, ByKey, Handled, Record, Service, SystemClock, WholeBatches
from nephila_runtime.event_loop import run
from nephila_runtime.kafka_host import KafkaHost
from nephila_runtime.kafka_settings import KafkaSettings
from nephila_runtime.liveness import Liveness
from nephila_testkit.conformance.host_harness import echo, name_of, service
from pydantic import BaseModel


class Plan(BaseModel):
    """How the member goes about its work."""

    settings: dict[str, Any]
    keyed: bool = False
    """Record by record of each name, rather than in batches of ten."""
    hang: list[str] = []
    """Names whose handling never ends."""
    takes: float = 0.0
    """Seconds that each batch or record takes."""
    transactional: bool = False
    acts: bool = False
    """Says `acts` every 20 ms while it may."""


class Member:
    def __init__(self, plan: Plan, told: Path) -> None:
        self._plan = plan
        self._told = os.open(told, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        self._clock = SystemClock()
        settings = KafkaSettings(**plan.settings)
        self._liveness = Liveness(self._clock, settings.session_timeout)
        order = ByKey(20, key=name_of) if plan.keyed else WholeBatches(10)
        one = service(self._handle, order=order)
        echoing = Service(
            "echo", one.steps, (), self._assigned, self._revoked, transactional=plan.transactional
        )
        self._host = KafkaHost(echoing, settings, self._clock, self._liveness, pace=QUICK)

    def _tell(self, *words: object) -> None:
        line = f"{self._clock.now():.6f} {' '.join(map(str, words))}\n"
        os.write(self._told, line.encode())

    async def _assigned(self, assignment: Assignment) -> Handled:
        held = ",".join(map(str, assignment.partitions))
        self._tell("assigned", held, "clean" if assignment.clean else "unclean")
        return Handled()

    async def _revoked(self, _partitions: tuple[int, ...]) -> None:
        self._tell("revoked")

    async def _handle(self, batch: Sequence[Record[UrlDiscovered]]) -> Handled:
        for record in batch:
            self._tell("started", name_of(record))
        if any(name_of(record) in self._plan.hang for record in batch):
            await self._clock.sleep(3600)
        await self._clock.sleep(self._plan.takes)
        return await echo(batch)

    async def _act(self) -> None:
        while True:
            await self._liveness.until_may_act()
            self._tell("acts")
            await self._clock.sleep(timedelta(milliseconds=20).total_seconds())

    async def work(self) -> None:
        acting = asyncio.create_task(self._act()) if self._plan.acts else None
        stop = asyncio.Event()
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stop.set)
        try:
            await self._host.run(stop)
        finally:
            if acting is not None:
                acting.cancel()


if __name__ == "__main__":
    member = Member(Plan.model_validate_json(sys.stdin.read()), Path(sys.argv[1]))
    run(member.work())
