"""A page's links as messages: url_discovered for what is new, link_graph for all."""

from collections.abc import Iterable, Iterator
from typing import cast

from nephila_contracts import topics
from nephila_contracts.v1.fetch_pb2 import Attempt
from nephila_contracts.v1.links_pb2 import PageLinks
from nephila_contracts.v1.url_pb2 import (
    URL_KIND_SITEMAP,
    DiscoveredLink,
    DiscoverySource,
    UrlDiscovered,
    UrlKind,
)
from nephila_runtime import Emit

from nephila_parser.page import ParsedPage

# Of url_discovered: the limits that url.proto states. A link's own numbers take at most 40 bytes.
_MOST_LINKS = 500
_MOST_BYTES = 256_000
_LINK_OVERHEAD = 40


def discovered(
    page: ParsedPage, kept: Iterable[int], attempt: Attempt
) -> Iterator[Emit[UrlDiscovered]]:
    """The links at the indexes `kept`, grouped by target site, in the page's order."""
    links = page.links
    by_site: dict[int, list[int]] = {}
    for at in kept:
        by_site.setdefault(links.site_of[at], []).append(at)
    for site, indexes in by_site.items():
        key = links.site_keys[site]
        for part in _parts(page, indexes, attempt):
            message = UrlDiscovered(
                site_key=key,
                source_url=attempt.url,
                source=cast("DiscoverySource", page.source),
                links=part,
            )
            yield Emit(topics.URL_DISCOVERED, key, message)


def _parts(
    page: ParsedPage, indexes: list[int], attempt: Attempt
) -> Iterator[list[DiscoveredLink]]:
    part: list[DiscoveredLink] = []
    size = 0
    for at in indexes:
        link = _link(page, at, attempt)
        length = len(link.url) + 4 * len(link.anchor) + 4 * len(link.rel) + _LINK_OVERHEAD
        if part and (len(part) == _MOST_LINKS or size + length > _MOST_BYTES):
            yield part
            part = []
            size = 0
        part.append(link)
        size += length
    yield part


def _link(page: ParsedPage, at: int, attempt: Attempt) -> DiscoveredLink:
    links = page.links
    link = DiscoveredLink(url=links.urls[at], depth=attempt.depth + 1)
    if links.anchors:
        link.anchor = links.anchors[at]
    if links.rels:
        link.rel = links.rels[at]
    if links.kinds:
        link.kind = cast("UrlKind", links.kinds[at])
        if link.kind == URL_KIND_SITEMAP and attempt.kind == URL_KIND_SITEMAP:
            # An index of indexes of indexes must come to an end.
            link.redirect_hops = attempt.redirect_hops + 1
    if links.lastmods_unix_ms:
        link.lastmod_unix_ms = links.lastmods_unix_ms[at]
    if links.priorities:
        link.priority = links.priorities[at]
    return link


def edges(page: ParsedPage, attempt: Attempt) -> Emit[PageLinks]:
    """All links of a page, in place of its earlier ones."""
    links = page.links
    message = PageLinks(
        source_url=attempt.url,
        sequence=attempt.sequence,
        target_urls=links.urls,
        anchors=links.anchors,
        rels=links.rels,
    )
    return Emit(topics.LINK_GRAPH, attempt.site_key, message)
