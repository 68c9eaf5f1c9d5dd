"""Wiring: settings and a pool become the service."""

from typing import Any

from nephila_contracts import topics
from nephila_runtime import ByKey, Record, Service, Step
from nephila_telemetry import NO_LOGS, Logger
from nephila_urls import DEFAULT_RULES, CanonicalRules

from nephila_parser.parse import Parse
from nephila_parser.pool import ParserPool
from nephila_parser.process_pool import ProcessPool
from nephila_parser.recent_links import RecentLinks
from nephila_parser.settings import ParserSettings


def build_parser(settings: ParserSettings, pool: ParserPool) -> Service:
    """The parser over a pool that its caller opens and closes."""
    parse = Parse(pool, RecentLinks(settings.recent_links))
    return Service(
        name="parser",
        steps=(
            Step(
                name="parse",
                consumes=topics.PAGE_DOWNLOADED,
                produces=(topics.PAGE_PARSED, topics.URL_DISCOVERED, topics.LINK_GRAPH),
                handle=parse.handle,
                order=ByKey(settings.pages_a_worker * settings.workers, key=_place),
                after=parse.after,
                on_dead=parse.on_dead,
            ),
        ),
    )


def build_process_pool(
    settings: ParserSettings, spelling: CanonicalRules = DEFAULT_RULES, log: Logger = NO_LOGS
) -> ProcessPool:
    """Parsers in processes of their own."""
    return ProcessPool(settings.workers, settings.limits(spelling), settings.page_timeout, log)


def build_inline_pool(
    settings: ParserSettings, spelling: CanonicalRules = DEFAULT_RULES
) -> ParserPool:
    """A parser in this process, for simulation."""
    # With it come numpy and the libraries that read pages: 0.1 s and 25 MB that a crawl on processes,
    # whose main process wires this service too, does without.
    from nephila_parser.inline_pool import InlinePool

    return InlinePool(settings.limits(spelling))


def _place(record: Record[Any]) -> str:
    """No two pages wait for each other, not even two of one site."""
    return f"{record.partition}:{record.offset}"
