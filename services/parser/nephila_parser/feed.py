"""Feeds: RSS, Atom, RDF and JSON Feed. A feed gives the pages of its items, with their dates."""

from collections.abc import Iterator
from typing import Any, cast

import msgspec
from nephila_contracts.v1.reason_pb2 import REASON_FETCHED
from nephila_contracts.v1.url_pb2 import (
    DISCOVERY_SOURCE_FEED,
    URL_KIND_FEED,
    URL_KIND_UNSPECIFIED,
)

from nephila_parser.document import Document
from nephila_parser.encodings import UTF_8
from nephila_parser.found_links import FoundLink, page_base, settle
from nephila_parser.page import ParsedPage
from nephila_parser.timestamps import rfc_822_ms, w3c_ms
from nephila_parser.visible_text import one_line
from nephila_parser.xml_events import (
    Element,
    ended_elements,
    forget,
    local_name,
    namespace,
    text_of,
    xml_text,
)

_ITEMS = frozenset({"item", "entry"})
_HEADS = frozenset({"channel", "feed"})
_DATES = frozenset({"pubdate", "date", "updated", "published", "modified", "issued"})
_JSON_FEED = "https://jsonfeed.org/version/"
_XML_BASE = "{http://www.w3.org/XML/1998/namespace}base"


def read_feed(document: Document) -> ParsedPage:
    """An XML feed."""
    body, charset = xml_text(document.body, document.http_charset)
    page = ParsedPage(REASON_FETCHED, charset=charset, source=DISCOVERY_SOURCE_FEED)
    found: list[FoundLink] = []
    base_href: str | None = None
    for element in ended_elements(body):
        name = local_name(element)
        if base_href is None:
            base_href = element.getroottree().getroot().get(_XML_BASE) or ""
        if name == "title" and not page.title and _parent_name(element) in _HEADS:
            page.title = one_line(text_of(element), document.limits.title_chars)
        elif name == "link" and _parent_name(element) in _HEADS:
            found.extend(_link_of_head(element))
        elif name in _ITEMS:
            found.extend(_links_of_item(element))
            if _parent_name(element) not in _ITEMS:
                forget(element)
        if len(found) > document.limits.links:
            break
    page.links = settle(
        page_base(document.job.url, base_href, document.limits.spelling),
        found,
        document.limits.links,
    )
    return page


def is_json_feed(body: bytes) -> bool:
    """True when a JSON document is a feed, as far as its first bytes tell."""
    return _JSON_FEED.encode() in body[:4096].replace(b"\\/", b"/")


def read_json_feed(document: Document) -> ParsedPage:
    """A JSON Feed (https://www.jsonfeed.org/version/1.1/); without links where it is no valid JSON."""
    page = ParsedPage(REASON_FETCHED, charset=UTF_8, source=DISCOVERY_SOURCE_FEED)
    try:
        # msgspec stops at its own depth limit instead of the stack's end (as CVE-2024-27454 did not).
        feed = msgspec.json.decode(document.body.removeprefix(b"\xef\xbb\xbf"))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return page
    if not isinstance(feed, dict):
        return page
    members = cast("dict[str, Any]", feed)
    page.title = one_line(_string(members, "title"), document.limits.title_chars)
    found = [FoundLink(_string(members, "home_page_url")), *_json_items(members.get("items"))]
    following = _string(members, "next_url")
    if following:
        found.append(FoundLink(following, "next", kind=URL_KIND_FEED))
    found = [link for link in found if link.href]
    page.links = settle(
        page_base(document.job.url, None, document.limits.spelling), found, document.limits.links
    )
    return page


def _json_items(items: Any) -> Iterator[FoundLink]:
    for item in cast("list[Any]", items) if isinstance(items, list) else ():
        if isinstance(item, dict):
            members = cast("dict[str, Any]", item)
            date = _string(members, "date_modified") or _string(members, "date_published")
            yield FoundLink(
                _string(members, "url"),
                anchor=one_line(_string(members, "title"), 200),
                lastmod_unix_ms=w3c_ms(date),
            )


def _string(members: dict[str, Any], name: str) -> str:
    value = members.get(name)
    return value if isinstance(value, str) else ""


def _link_of_head(link: Element) -> Iterator[FoundLink]:
    rel = (link.get("rel") or "alternate").lower()
    href = link.get("href") or text_of(link)
    if href and rel == "alternate" and not _is_of_hub(link):
        yield FoundLink(href, rel)
    elif href and rel in ("next", "prev-archive"):
        # RFC 5005: the feed goes on there.
        yield FoundLink(href, rel, kind=URL_KIND_FEED)


def _is_of_hub(link: Element) -> bool:
    return "pubsubhubbub" in (link.get("href") or "")


def _links_of_item(item: Element) -> Iterator[FoundLink]:
    date = 0
    title = ""
    hrefs: list[str] = []
    guid = ""
    for child in item:
        name = local_name(child)
        if name == "link":
            hrefs.extend(_item_hrefs(child))
        elif name == "guid":
            guid = text_of(child)
        elif name in _DATES:
            date = max(date, rfc_822_ms(text_of(child)))
        elif name == "title" and not title and "media" not in namespace(child).lower():
            title = one_line(text_of(child), 200)
    # Whatever isPermaLink says: it is often wrong, and an item without a link has nothing better.
    if not hrefs and guid.lower().startswith(("http://", "https://")):
        hrefs.append(guid)
    for href in hrefs:
        yield FoundLink(href, anchor=title, kind=URL_KIND_UNSPECIFIED, lastmod_unix_ms=date)


def _item_hrefs(link: Element) -> Iterator[str]:
    href = link.get("href")
    if href is None:
        href = text_of(link)
    elif (link.get("rel") or "alternate").lower() != "alternate":
        return
    if href.strip():
        yield href.strip()


def _parent_name(element: Element) -> str:
    parent = element.getparent()
    return "" if parent is None else local_name(parent)
