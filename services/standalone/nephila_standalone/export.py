"""Writes what a crawl hands out as lines of JSON in DIR: page_fetched.ndjson and links.ndjson.

The files take part in the host's transaction, so each event stands there exactly once.
"""

from nephila_contracts import topics
from nephila_runtime import Service, Step
from nephila_storage.append_file import AppendFile
from nephila_storage.line_export import LineExport
from nephila_storage.link_export import link_line
from nephila_storage.page_export import page_line


def build_export(events: AppendFile, links: AppendFile) -> Service:
    return Service(
        "export",
        (
            Step("events", topics.PAGE_FETCHED, (), LineExport(events, page_line).handle),
            Step("links", topics.LINK_GRAPH, (), LineExport(links, link_line).handle),
        ),
    )
