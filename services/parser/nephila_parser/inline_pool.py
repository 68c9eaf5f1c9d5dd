"""Pages parsed without processes."""

from nephila_parser.content_types import parse_page
from nephila_parser.page import ParsedPage, ParseJob, ParseLimits


class InlinePool:
    """A `ParserPool` in the caller's own thread: deterministic, for simulation and tests, and not for
    strangers' pages, since one that crashes a parser takes the caller with it."""

    def __init__(self, limits: ParseLimits) -> None:
        self._limits = limits

    async def parse(self, job: ParseJob) -> ParsedPage:
        return parse_page(job, self._limits)
