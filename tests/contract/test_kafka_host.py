"""The Kafka host under the suite of all hosts."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from kafka_harness import KafkaHarness, fresh_settings, made
from nephila_testkit.conformance.host_harness import HostHarness
from nephila_testkit.conformance.host_suite import HostConformance


class TestKafkaHost(HostConformance):
    transactional = False

    @pytest.fixture(autouse=True)
    def _cluster(self, kafka_address: str) -> None:
        self.address = kafka_address

    def on_host(self, scenario: Callable[[HostHarness], Awaitable[None]]) -> None:
        async def main() -> None:
            settings = await made(fresh_settings(self.address))
            await scenario(KafkaHarness(settings, transactional=self.transactional))

        asyncio.run(main())


class TestKafkaHostInTransactions(TestKafkaHost):
    """The same laws when each turn is one transaction."""

    transactional = True
