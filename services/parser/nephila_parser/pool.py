"""The port behind which pages are parsed."""

from typing import Protocol

from nephila_parser.page import ParsedPage, ParseJob


class ParserPool(Protocol):
    """Parses pages, some at once. A page that cannot be parsed is told by its `reason`, never raised."""

    async def parse(self, job: ParseJob) -> ParsedPage: ...
