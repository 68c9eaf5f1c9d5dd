"""The resolver against a DNS server on loopback, and the machine's hosts file."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from nephila_fetcher import AiodnsResolver, DnsFailed, NoSuchHost
from nephila_testkit.web.dns_server import DnsMode, DnsName, DnsServer

_ZONE = {
    "one.test": DnsName((("93.184.215.14",),), ttl_s=77),
    "both.test": DnsName((("2606:4700::1111", "93.184.215.14", "127.0.0.1"),)),
    "many.test": DnsName((tuple(f"93.184.{at // 250}.{at % 250 + 1}" for at in range(28)),)),
    "broken.test": DnsName(mode=DnsMode.SERVFAIL),
    "empty.test": DnsName(((),)),
}


@asynccontextmanager
async def _dns() -> AsyncGenerator[str, None]:
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: DnsServer(_ZONE), local_addr=("127.0.0.1", 0)
    )
    try:
        yield f"127.0.0.1:{transport.get_extra_info('sockname')[1]}"
    finally:
        transport.close()
        await asyncio.sleep(0)


def _run(scenario: Callable[[AiodnsResolver], Awaitable[Any]]) -> Any:
    async def main() -> Any:
        async with _dns() as server:
            resolver = AiodnsResolver(server)
            try:
                return await scenario(resolver)
            finally:
                await resolver.aclose()

    return asyncio.run(main())


def test_a_name_has_addresses_for_a_time() -> None:
    resolved = _run(lambda resolver: resolver.resolve("one.test"))
    assert resolved.addresses == ("93.184.215.14",)
    assert resolved.ttl == 77


def test_all_addresses_are_told_ipv4_first() -> None:
    resolved = _run(lambda resolver: resolver.resolve("both.test"))
    assert resolved.addresses[-1] == "2606:4700::1111"
    assert set(resolved.addresses[:2]) == {"93.184.215.14", "127.0.0.1"}


def test_a_name_with_many_addresses_is_read() -> None:
    assert len(_run(lambda resolver: resolver.resolve("many.test")).addresses) == 28


@pytest.mark.parametrize("name", ["absent.test", "empty.test", "a..b", "x" * 300 + ".test"])
def test_a_name_without_address_does_not_exist(name: str) -> None:
    async def scenario(resolver: AiodnsResolver) -> None:
        with pytest.raises(NoSuchHost):
            await resolver.resolve(name)

    _run(scenario)


def test_a_failing_server_is_a_failure_not_an_absence() -> None:
    async def scenario(resolver: AiodnsResolver) -> None:
        with pytest.raises(DnsFailed):
            await resolver.resolve("broken.test")

    started = time.monotonic()
    _run(scenario)
    assert time.monotonic() - started < 15


def test_the_hosts_file_comes_before_a_given_server() -> None:
    resolved = _run(lambda resolver: resolver.resolve("localhost"))
    assert "127.0.0.1" in resolved.addresses


def test_without_a_given_server_the_hosts_file_counts() -> None:
    async def main() -> None:
        resolver = AiodnsResolver()
        try:
            assert "127.0.0.1" in (await resolver.resolve("localhost")).addresses
        finally:
            await resolver.aclose()

    asyncio.run(main())
