"""The port behind which pages are parsed, and its twin without processes."""

from typing import Protocol

from nephila_parser.content_types import parse_page
from nephila_parser.page import ParsedPage, ParseJob, ParseLimits


class ParserPool(Protocol):
    """Parses pages, some at once. A page that cannot be parsed is told by its `reason`, never raised."""

    async def parse(self, job: ParseJob) -> ParsedPage: ...


class InlinePool:
    """Parses in the caller's own thread: deterministic, for simulation and tests, and not for strangers'
    pages, since one that crashes a parser takes the caller with it."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limits = limits

    async def parse(self, job: ParseJob) -> ParsedPage:
        return parse_page(job, self._limits)
