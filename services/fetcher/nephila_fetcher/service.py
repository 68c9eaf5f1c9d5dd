"""Wiring: settings, transport, resolver, guard and clock to a Service."""

from collections.abc import Sequence
from typing import Any

import httpx
from nephila_contracts import topics
from nephila_contracts.v1.fetch_pb2 import Attempt, FetchRequested
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime import NOTHING, Assignment, ByKey, Clock, Emit, Handled, Record, Service, Step
from nephila_urls import DEFAULT_RULES, CanonicalRules

from nephila_fetcher.address_guard import AddressGuard
from nephila_fetcher.ask_robots import AskRobots, RobotsRequest
from nephila_fetcher.dns_cache import DnsCache
from nephila_fetcher.dns_resolver import Resolver
from nephila_fetcher.exchange import Limits
from nephila_fetcher.fetch import Fetch, FetchRules, Permission
from nephila_fetcher.held_leases import HeldLeases
from nephila_fetcher.host_turns import HostTurns
from nephila_fetcher.outcome import AnswerRules
from nephila_fetcher.polite_get import Field, PoliteGet
from nephila_fetcher.report import poisoned
from nephila_fetcher.robots import MAX_BYTES
from nephila_fetcher.robots_cache import RobotsCache
from nephila_fetcher.settings import FetcherSettings

# Beyond the 500 KiB that are read, so that a text of just that size is not taken for a cut one.
_ROBOTS_WIRE_BYTES = MAX_BYTES + 1


def everything_permitted(_attempt: Attempt) -> Reason | None:
    """The Permission of a crawl without blocklist or pause."""
    return None


def build_fetcher(
    settings: FetcherSettings,
    transport: httpx.AsyncBaseTransport,
    resolver: Resolver,
    guard: AddressGuard,
    clock: Clock,
    permission: Permission = everything_permitted,
    spelling: CanonicalRules = DEFAULT_RULES,
) -> Service:
    """The fetcher. `resolver` is asked through a cache; transport and resolver stay the caller's to close.

    `spelling` is the crawl's canonicalisation, for redirect targets and sitemaps.
    """
    leases = HeldLeases()
    turns = HostTurns(clock)
    get = PoliteGet(transport, DnsCache(resolver, clock), guard, turns, clock)
    answers = AnswerRules(settings.longest_retry_after, spelling)
    robots = AskRobots(get, _robots_cache(settings, clock), _robots_request(settings, answers))
    fetch = Fetch(get, robots, leases, clock, _fetch_rules(settings, answers), permission)
    step = Step(
        name="fetch",
        consumes=topics.FETCH_REQUESTED,
        produces=(
            topics.URL_DISCOVERED,
            topics.FETCH_COMPLETED,
            topics.PAGE_DOWNLOADED,
            topics.PAGE_PARSED,
        ),
        handle=fetch.handle,
        order=ByKey(settings.under_way, key=_host),
        on_dead=_on_dead,
    )

    async def assigned(assignment: Assignment) -> Handled:
        leases.begin(assignment, clock.now())
        if not assignment.clean:
            turns.take_over()
        return NOTHING

    async def revoked(partitions: tuple[int, ...]) -> None:
        leases.give_back(partitions)

    return Service("fetcher", (step,), assigned=assigned, revoked=revoked)


def _host(record: Record[FetchRequested]) -> str:
    return record.message.attempt.host


def _on_dead(record: Record[FetchRequested], _cause: str) -> Sequence[Emit[Any]]:
    return poisoned(record.message.attempt)


def _robots_cache(settings: FetcherSettings, clock: Clock) -> RobotsCache:
    return RobotsCache(
        clock,
        settings.robots_lifetime,
        settings.robots_retry,
        settings.robots_retry_longest,
        settings.robots_cache_bytes,
    )


def _robots_request(settings: FetcherSettings, answers: AnswerRules) -> RobotsRequest:
    return RobotsRequest(
        fields=_fields(settings, accept=b"text/plain,*/*;q=0.8", codings=b"gzip"),
        limits=_limits(settings, _ROBOTS_WIRE_BYTES),
        time_limit=settings.robots_time_limit.total_seconds(),
        product_token=settings.product_token,
        answers=answers,
    )


def _fetch_rules(settings: FetcherSettings, answers: AnswerRules) -> FetchRules:
    return FetchRules(
        fields=_fields(
            settings,
            accept=b"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
            codings=b"gzip, br, zstd",
        ),
        limits=_limits(settings, settings.size_limit),
        longest_pause=settings.longest_pause.total_seconds(),
        longest_fetch=settings.longest_fetch.total_seconds(),
        longest_crawl_delay=settings.longest_crawl_delay.total_seconds(),
        obey_crawl_delay=settings.obey_crawl_delay,
        answers=answers,
    )


def _fields(settings: FetcherSettings, accept: bytes, codings: bytes) -> tuple[Field, ...]:
    return (
        (b"User-Agent", settings.user_agent.encode("ascii")),
        (b"Accept", accept),
        (b"Accept-Encoding", codings),
    )


def _limits(settings: FetcherSettings, body_bytes: int) -> Limits:
    return Limits(
        total=min(settings.time_limit, settings.longest_fetch).total_seconds(),
        connect=min(settings.connect_limit, settings.time_limit).total_seconds(),
        body_bytes=body_bytes,
    )
