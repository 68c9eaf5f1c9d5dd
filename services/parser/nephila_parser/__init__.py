"""What a page says.

An answer comes in packed as its server sent it. It is unpacked within limits (`decoding`), hashed, and
sniffed (`mime_sniffing`); then the reader of its content type takes it: `html_page`, `plain_text`,
`sitemap`, `feed`. What nobody reads is passed on to be stored, not parsed. A reader finds links
(`found_links`: canonical, distinct, with their site keys), metadata, directives to robots and the visible
text, of which `simhash` is the fingerprint.

All that happens in processes of their own, since a page can crash or hang any parser: it costs that page
alone, which then goes on with its reason. `process_pool` hands out pages, `parser_process` is the
parent's hold of one process, `worker_process` the child; `InlinePool` is the same without processes, for
simulation. In the main process the step `parse` makes messages of what was found;
links that were published lately (`recent_links`) are not published again.

It never fetches, never decides what is let into the crawl, and never stores.

The names below are loaded when they are asked for: a parser process imports this package too, and does
without the service's settings and runtime, 20 MB of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nephila_parser.inline_pool import InlinePool
    from nephila_parser.page import ParsedPage, ParseJob, ParseLimits
    from nephila_parser.parser_process import ParserUnavailable
    from nephila_parser.pool import ParserPool
    from nephila_parser.process_pool import ProcessPool
    from nephila_parser.service import build_inline_pool, build_parser, build_process_pool
    from nephila_parser.settings import ParserSettings

_OWNERS = {
    "InlinePool": "inline_pool",
    "ParseJob": "page",
    "ParseLimits": "page",
    "ParsedPage": "page",
    "ParserPool": "pool",
    "ParserSettings": "settings",
    "ParserUnavailable": "parser_process",
    "ProcessPool": "process_pool",
    "build_inline_pool": "service",
    "build_parser": "service",
    "build_process_pool": "service",
}

__all__ = [
    "InlinePool",
    "ParseJob",
    "ParseLimits",
    "ParsedPage",
    "ParserPool",
    "ParserSettings",
    "ParserUnavailable",
    "ProcessPool",
    "build_inline_pool",
    "build_parser",
    "build_process_pool",
]


def __getattr__(name: str) -> Any:
    if name not in _OWNERS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_OWNERS[name]}"), name)
