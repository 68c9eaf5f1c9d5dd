"""What comes to a crawl from outside: time, chance, the network, parsers, durability.

A real run opens these on the machine; a simulation passes its own, and the pipeline cannot tell.
"""

import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from nephila_fetcher import (
    AddressGuard,
    AiodnsResolver,
    FetcherSettings,
    HttpTransport,
    Resolver,
    Transport,
    tls_context,
)
from nephila_parser import (
    ParserPool,
    ParserSettings,
    build_inline_pool,
    build_process_pool,
)
from nephila_runtime import Clock, SystemClock
from nephila_runtime.clock import boot_id
from nephila_runtime.database import Database
from nephila_runtime.embedded_host import EmbeddedHost, EmbeddedSettings, commit_in_thread
from nephila_storage.append_file import Sync, sync_in_thread

from nephila_standalone.crawl_plan import CrawlPlan


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
async def real_surroundings(plan: CrawlPlan) -> AsyncGenerator[Surroundings]:
    """The machine's own, closed at the end."""
    fetcher = fetcher_settings(plan)
    async with AsyncExitStack() as stack:
        transport = HttpTransport(tls_context(), fetcher.idle_connections, fetcher.idle_timeout)
        stack.push_async_callback(transport.aclose)
        server = f"{plan.dns[0]}:{plan.dns[1]}" if plan.dns else None
        resolver = AiodnsResolver(server)
        stack.push_async_callback(resolver.aclose)
        parsers = await stack.enter_async_context(_parsers(plan))
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
async def _parsers(plan: CrawlPlan) -> AsyncGenerator[ParserPool]:
    settings = parser_settings(plan)
    if plan.workers == 0:
        yield build_inline_pool(settings)
        return
    async with build_process_pool(settings) as pool:
        yield pool


def parser_settings(plan: CrawlPlan) -> ParserSettings:
    """The parser's knobs for a plan."""
    return ParserSettings(workers=max(plan.workers, 1))


# Where a site's owner finds out who crawls, when the user gives no contact.
_PROJECT_PAGE = "https://nephila.invalid/"


def fetcher_settings(plan: CrawlPlan) -> FetcherSettings:
    """The fetcher's knobs for a plan. A given delay on one's own networks is the last word."""
    given = plan.contact or _PROJECT_PAGE
    own_servers = bool(plan.allow_networks) and plan.delay is not None
    longest_pause = timedelta(seconds=15) if plan.delay is None else plan.delay * 2
    return FetcherSettings.model_validate(
        {
            "contact": given,
            "obey_crawl_delay": not own_servers,
            "longest_pause": max(longest_pause, timedelta(seconds=15)),
        }
    )
