"""Which links between documents are followed, by their rel."""

from collections.abc import Mapping

from nephila_contracts.v1.url_pb2 import URL_KIND_FEED, URL_KIND_SITEMAP, URL_KIND_UNSPECIFIED

# Of an a element: links that the page does not vouch for.
_UNVOUCHED = "nofollow"
_PAGE_RELATIONS = frozenset(
    {"canonical", "next", "prev", "previous", "first", "last", "up", "amphtml", "shortlink"}
)
_RESOURCE_RELATIONS = frozenset({"stylesheet", "icon", "manifest", "apple-touch-icon"})
_FEED_TYPES = frozenset(
    {"application/rss+xml", "application/atom+xml", "application/feed+json", "application/rdf+xml"}
)


def kind_of_link(attributes: Mapping[str, str | None], resources: bool) -> int | None:
    """The UrlKind of a link element's target, or None when it is not followed."""
    rel = (attributes.get("rel") or "").lower()
    words = rel.split()
    if "alternate" in words:
        kind = (attributes.get("type") or "").lower().partition(";")[0].strip()
        if kind in _FEED_TYPES:
            return URL_KIND_FEED
        # The same page in another language.
        return URL_KIND_UNSPECIFIED if attributes.get("hreflang") else None
    if "sitemap" in words:
        return URL_KIND_SITEMAP
    if not _PAGE_RELATIONS.isdisjoint(words):
        return URL_KIND_UNSPECIFIED
    if resources and not _RESOURCE_RELATIONS.isdisjoint(words):
        return URL_KIND_UNSPECIFIED
    return None


def is_canonical(rel: str) -> bool:
    return "canonical" in rel.lower().split()


def is_unvouched(rel: str) -> bool:
    """True when the page does not want the link to count."""
    return _UNVOUCHED in rel.lower()
