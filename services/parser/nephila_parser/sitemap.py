"""Sitemaps by sitemaps.org: index and URL set, XML or a text list, as they are met in the wild.

Entries before the limit or the damage count. Namespaces are not looked at, except that what stands in
another one (image, video, news) does not count as the entry's own.
"""

from collections.abc import Iterator

from nephila_contracts.v1.reason_pb2 import REASON_FETCHED
from nephila_contracts.v1.url_pb2 import (
    DISCOVERY_SOURCE_SITEMAP,
    URL_KIND_SITEMAP,
    URL_KIND_UNSPECIFIED,
)

from nephila_parser.document import Document
from nephila_parser.encodings import decode_text, guessed_encoding, text_encoding
from nephila_parser.found_links import FoundLink, page_base, settle
from nephila_parser.page import ParsedPage
from nephila_parser.timestamps import w3c_ms
from nephila_parser.xml_events import (
    Element,
    ended_elements,
    forget,
    local_name,
    namespace,
    text_of,
    xml_text,
)

_ENTRIES = {"url": URL_KIND_UNSPECIFIED, "sitemap": URL_KIND_SITEMAP}
_OWN = frozenset({"loc", "lastmod", "priority"})
# Of the extensions, whose elements have names of the same kind: image:loc, video:…, news:….
_EXTENSIONS = (
    "sitemap-image",
    "sitemap-video",
    "sitemap-news",
    "sitemap-mobile",
    "mrss",
    "content",
)


def read_sitemap(document: Document) -> ParsedPage:
    """An XML sitemap or sitemap index."""
    body, charset = xml_text(document.body, document.http_charset)
    page = ParsedPage(REASON_FETCHED, charset=charset, source=DISCOVERY_SOURCE_SITEMAP)
    _settle(page, document, _entries(body))
    return page


def read_sitemap_list(document: Document) -> ParsedPage:
    """A sitemap that is a text file with one URL a line."""
    charset = text_encoding(document.body, document.http_charset) or guessed_encoding(document.body)
    page = ParsedPage(REASON_FETCHED, charset=charset, source=DISCOVERY_SOURCE_SITEMAP)
    lines = (line.strip() for line in decode_text(document.body, charset).splitlines())
    urls = (with_scheme(line) for line in lines)
    _settle(page, document, (FoundLink(url) for url in urls if _is_absolute(url)))
    return page


def _settle(page: ParsedPage, document: Document, entries: Iterator[FoundLink]) -> None:
    most = document.limits.sitemap_urls
    found = [entry for _, entry in zip(range(most), entries, strict=False)]
    page.links = settle(page_base(document.job.url, None, document.limits.spelling), found, most)


def _entries(body: bytes) -> Iterator[FoundLink]:
    held = _Entry()
    for element in ended_elements(body):
        name = local_name(element)
        if name == "loc" and _is_own(element):
            # A second loc in one entry is an entry whose tags were forgotten.
            if held.loc:
                yield held.link()
                held = _Entry()
            held.loc = text_of(element)
            held.kind = _ENTRIES[_entry_name(element)]
        elif name in _OWN and _is_own(element):
            held.hint(name, text_of(element))
        elif name in _ENTRIES and _is_entry(element):
            # <sitemap>https://…</sitemap>, its loc forgotten, is met too.
            if not held.loc and _is_absolute(bare := (element.text or "").strip()):
                held.loc, held.kind = bare, _ENTRIES[name]
            if held.loc:
                yield held.link()
            held = _Entry()
            forget(element)
    if held.loc:
        yield held.link()


class _Entry:
    """An entry while its elements come in."""

    __slots__ = ("kind", "lastmod_unix_ms", "loc", "priority")

    def __init__(self) -> None:
        self.loc = ""
        self.kind = URL_KIND_UNSPECIFIED
        self.lastmod_unix_ms = 0
        self.priority = 0.0

    def hint(self, name: str, text: str) -> None:
        if name == "lastmod":
            self.lastmod_unix_ms = w3c_ms(text)
        else:
            self.priority = _priority(text)

    def link(self) -> FoundLink:
        return FoundLink(
            with_scheme(self.loc),
            kind=self.kind,
            lastmod_unix_ms=self.lastmod_unix_ms,
            priority=self.priority,
        )


def _is_own(element: Element) -> bool:
    return not any(mark in namespace(element) for mark in _EXTENSIONS) and bool(
        _entry_name(element)
    )


def _is_entry(element: Element) -> bool:
    """False for <loc><url>…</url></loc>, which is met."""
    parent = element.getparent()
    return parent is None or local_name(parent) not in _OWN


def _entry_name(element: Element) -> str:
    """The entry in which an element stands; empty when it stands in none."""
    parent = element.getparent()
    name = "" if parent is None else local_name(parent)
    return name if name in _ENTRIES else ""


def _priority(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        return 0.0
    return value if 0.0 <= value <= 1.0 else 0.0


def with_scheme(text: str) -> str:
    """A URL whose scheme was forgotten, "www.…", with one; any other as it is."""
    return "http://" + text if text[:4].lower() == "www." else text


def _is_absolute(line: str) -> bool:
    return line[:8].lower().startswith(("http://", "https://"))
