"""All services of the picture on one embedded host: wired by hand, once, for one run.

    url_dedup → frontier → fetcher → parser → content_dedup → recrawl_scheduler
                   ▲           │         │           └→ export (page_fetched.ndjson, links.ndjson)
                   └───────────┘         └→ url_dedup

An assembly is made for a run and thrown away with it: after a failure the next one is built from DIR.
"""

from collections.abc import Callable
from dataclasses import dataclass

from nephila_content_dedup import ContentDedupSettings, build_content_dedup
from nephila_contracts import topics
from nephila_contracts.v1.url_pb2 import (
    DISCOVERY_SOURCE_SEED,
    DiscoveredLink,
    UrlDiscovered,
)
from nephila_fetcher import FetcherSettings, build_fetcher
from nephila_frontier import Budget, FrontierSettings, FrontierView, build_frontier
from nephila_parser import ParserSettings, build_parser
from nephila_recrawl_scheduler import RecrawlSchedulerSettings, build_recrawl_scheduler
from nephila_runtime import Emit, Service
from nephila_runtime.clock import wall_datetime
from nephila_runtime.database import Database
from nephila_runtime.embedded_host import EmbeddedHost
from nephila_storage.append_file import AppendFile
from nephila_storage.file_warc_store import FileWarcStore
from nephila_storage.memory_seen_set import MemorySeenSet
from nephila_storage.sqlite_fingerprints import SqliteFingerprints
from nephila_storage.sqlite_frontier_store import SqliteFrontierStore
from nephila_storage.sqlite_last_end import SqliteLastEnd
from nephila_storage.sqlite_refusals import SqliteRefusalLog
from nephila_storage.sqlite_url_contents import SqliteUrlContents
from nephila_storage.sqlite_url_fetches import SqliteUrlFetches
from nephila_storage.sqlite_url_state import SqliteUrlAdmissions
from nephila_storage.sqlite_verdict_counts import SqliteVerdictCounts
from nephila_url_dedup import Blocklist, Judgement, UrlDedupSettings, build_url_dedup
from nephila_urls import CanonicalUrl, site_key

from nephila_standalone.admission_rules import admission_rules
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import DirectoryPaths
from nephila_standalone.downstream import EmbeddedDownstream
from nephila_standalone.export import build_export
from nephila_standalone.plan_settings import (
    fetcher_settings,
    frontier_settings,
    parser_settings,
)
from nephila_standalone.settings import StandaloneSettings
from nephila_standalone.surroundings import Surroundings
from nephila_standalone.tally import Tally, build_tally

SETTINGS = (
    StandaloneSettings,
    FrontierSettings,
    FetcherSettings,
    ParserSettings,
    UrlDedupSettings,
    ContentDedupSettings,
    RecrawlSchedulerSettings,
)
"""Every settings class that a crawl reads."""


@dataclass(frozen=True)
class Assembly:
    """A pipeline ready to run, and what can be seen of it."""

    host: EmbeddedHost
    services: tuple[Service, ...]
    frontier: FrontierView
    refusals: SqliteRefusalLog
    tally: Tally
    close: Callable[[], None]
    """Closes the files of DIR. What was not committed is cut off by the next opening."""


def assemble(
    plan: CrawlPlan,
    paths: DirectoryPaths,
    database: Database,
    around: Surroundings,
    disk_low: Callable[[], bool],
) -> Assembly:
    """Wires every service over DIR. Opens the files of DIR; the database stays the caller's."""
    pages = FileWarcStore(paths.warc, database, sync=around.sync)
    events = AppendFile(paths.page_fetched, paths.page_fetched.name, database, around.sync)
    links = AppendFile(paths.links, paths.links.name, database, around.sync)
    refusals = SqliteRefusalLog(database)
    tally = Tally(SqliteVerdictCounts(database))
    downstream = EmbeddedDownstream(disk_low)
    frontier, view = _frontier(plan, database, around, downstream)
    services = (
        _url_dedup(plan, database, around, refusals),
        frontier,
        build_fetcher(
            fetcher_settings(plan), around.transport, around.resolver, around.guard, around.clock
        ),
        build_parser(parser_settings(plan), around.parsers),
        build_content_dedup(
            ContentDedupSettings(),
            pages,
            SqliteFingerprints(database),
            SqliteUrlContents(database),
            around.clock,
        ),
        build_recrawl_scheduler(RecrawlSchedulerSettings(), SqliteUrlFetches(database)),
        build_tally(tally),
        build_export(events, links),
    )
    host = around.make_host(
        database,
        services,
        around.clock,
        participants=(pages, events, links),
        settings=around.host,
        commit=around.commit,
        reach=around.reach,
    )
    downstream.attach(host)

    def close() -> None:
        for opened in (pages, events, links):
            opened.close()

    return Assembly(host, services, view, refusals, tally, close)


def _url_dedup(
    plan: CrawlPlan, database: Database, around: Surroundings, refusals: SqliteRefusalLog
) -> Service:
    settings = UrlDedupSettings()
    rules = admission_rules(plan, wall_datetime(around.clock.wall_ms()).year)
    seen = MemorySeenSet(settings.seen_set_capacity, settings.seen_set_false_positives)
    judgement = Judgement(rules, Blocklist().covers)
    admissions = SqliteUrlAdmissions(database)
    return build_url_dedup(settings, judgement, admissions, seen, refusals, around.clock)


def _frontier(
    plan: CrawlPlan, database: Database, around: Surroundings, downstream: EmbeddedDownstream
) -> tuple[Service, FrontierView]:
    rested = SqliteLastEnd(database).take(around.boot, around.clock.now())
    return build_frontier(
        frontier_settings(plan),
        SqliteFrontierStore(database),
        downstream,
        around.clock,
        around.rng,
        budget=Budget(plan.page_budget, plan.byte_budget, plan.time_budget),
        rested=rested,
    )


def seed_emits(plan: CrawlPlan) -> list[Emit[UrlDiscovered]]:
    """The plan's seeds as url_discovered: those known already change nothing."""
    emits: list[Emit[UrlDiscovered]] = []
    for seed in plan.seeds:
        key = site_key(CanonicalUrl(seed))
        found = UrlDiscovered(
            site_key=key, source=DISCOVERY_SOURCE_SEED, links=[DiscoveredLink(url=seed)]
        )
        emits.append(Emit(topics.URL_DISCOVERED, key, found))
    return emits
