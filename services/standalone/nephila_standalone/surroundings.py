"""What comes to a crawl from outside: time, chance, the network, parsers, durability.

A real run opens these on the machine; a simulation passes its own, and the pipeline cannot tell.
"""

import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from nephila_fetcher import (
    AddressGuard,
    AiodnsResolver,
    HttpTransport,
    Resolver,
    Transport,
    tls_context,
)
from nephila_parser import (
    ParserPool,
    build_inline_pool,
    build_process_pool,
)
from nephila_runtime import Clock, SystemClock
from nephila_runtime.clock import boot_id
from nephila_runtime.database import Database
from nephila_runtime.embedded_host import EmbeddedHost, EmbeddedSettings, commit_in_thread
from nephila_storage.append_file import Sync, sync_in_thread
from nephila_telemetry import NO_LOGS, Logger

from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.plan_settings import fetcher_settings, parser_settings


def nowhere(_point: str) -> None:
    """A run that is not to be crashed."""


@dataclass(frozen=True)
class Surroundings:
    """Everything that a pipeline takes from outside its own memory and DIR."""

    clock: Clock
    rng: random.Random
    transport: Transport
    resolver: Resolver
    guard: AddressGuard
    parsers: ParserPool
    sync: Sync
    commit: Callable[[Database], Awaitable[None]]
    boot: str = ""
    """From what `clock` counts, so that another run may compare; empty when none may."""
    open_database: Callable[[Path], Database] = Database.open
    host: EmbeddedSettings = field(default_factory=EmbeddedSettings)
    reach: Callable[[str], None] = nowhere
    """Told each named point of a turn as it is passed: where a test may crash it."""
    make_host: Callable[..., EmbeddedHost] = EmbeddedHost
    """With the arguments of EmbeddedHost: a test's host may hand things in twice, or one by one."""


@asynccontextmanager
async def real_surroundings(plan: CrawlPlan, log: Logger = NO_LOGS) -> AsyncGenerator[Surroundings]:
    """The machine's own, closed at the end. `log` is where parsers tell of pages that harmed them."""
    fetcher = fetcher_settings(plan)
    async with AsyncExitStack() as stack:
        transport = HttpTransport(tls_context(), fetcher.idle_connections, fetcher.idle_timeout)
        stack.push_async_callback(transport.aclose)
        server = f"{plan.dns[0]}:{plan.dns[1]}" if plan.dns else None
        resolver = AiodnsResolver(server)
        stack.push_async_callback(resolver.aclose)
        parsers = await stack.enter_async_context(_parsers(plan, log))
        yield Surroundings(
            clock=SystemClock(),
            boot=boot_id(),
            rng=random.Random(),
            transport=transport,
            resolver=resolver,
            guard=AddressGuard([*plan.allow_networks]),
            parsers=parsers,
            sync=sync_in_thread,
            commit=commit_in_thread,
        )


@asynccontextmanager
async def _parsers(plan: CrawlPlan, log: Logger) -> AsyncGenerator[ParserPool]:
    settings = parser_settings(plan)
    if plan.workers == 0:
        yield build_inline_pool(settings)
        return
    async with build_process_pool(settings, log=log) as pool:
        yield pool
