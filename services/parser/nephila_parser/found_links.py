"""Links on their way from what a document says to the lists that leave the process."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

from nephila_urls import (
    CanonicalRules,
    CanonicalUrl,
    PageBase,
    UrlRefused,
    host_of,
    site_key_of_host,
    url_digest,
)

from nephila_parser.page import Links

T = TypeVar("T")


class FoundLink(NamedTuple):
    """A link as it stands in the document."""

    href: str
    rel: str = ""
    anchor: str = ""
    # A UrlKind.
    kind: int = 0
    lastmod_unix_ms: int = 0
    priority: float = 0.0


def page_base(url: str, base_href: str | None, spelling: CanonicalRules) -> PageBase:
    """What links are read against: the base element's URL where it has a usable one (HTML 2.4.3)."""
    own = PageBase(url, spelling)
    if not base_href:
        return own
    try:
        return PageBase(own.resolve(base_href.strip()), spelling)
    except UrlRefused:
        return own


def with_sites(urls: Sequence[CanonicalUrl]) -> Links:
    """Links with the digest and the site key of each."""
    keys: dict[str, int] = {}
    of_host: dict[str, int] = {}
    site_of: list[int] = []
    for url in urls:
        host = host_of(url)
        site = of_host.get(host)
        if site is None:
            site = of_host[host] = keys.setdefault(site_key_of_host(host), len(keys))
        site_of.append(site)
    return Links(
        urls=list(urls),
        digests=b"".join(map(url_digest, urls)),
        site_keys=list(keys),
        site_of=site_of,
    )


def settle(base: PageBase, found: Sequence[FoundLink], most: int) -> Links:
    """Canonical, distinct, at most `most`; of a link met twice the first stands."""
    first: dict[CanonicalUrl, FoundLink] = {}
    for link, url in zip(found, base.resolve_many([link.href for link in found]), strict=True):
        if url is not None and url not in first:
            first[url] = link
            if len(first) == most:
                break
    links = with_sites(list(first))
    kept = first.values()
    links.rels = _unless_empty([link.rel for link in kept])
    links.anchors = _unless_empty([link.anchor for link in kept])
    links.kinds = _unless_empty([link.kind for link in kept])
    links.lastmods_unix_ms = _unless_empty([link.lastmod_unix_ms for link in kept])
    links.priorities = _unless_empty([link.priority for link in kept])
    return links


def _unless_empty(items: list[T]) -> list[T]:
    return items if any(items) else []
