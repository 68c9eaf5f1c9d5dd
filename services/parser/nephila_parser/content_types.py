"""From an answer to what it says: unpack, hash, sniff, and hand over to the reader of its content type."""

import hashlib
from collections.abc import Callable
from typing import TypeAlias

from nephila_contracts.v1.reason_pb2 import REASON_NOT_PARSED, REASON_UNDECODABLE
from nephila_contracts.v1.url_pb2 import URL_KIND_SITEMAP

from nephila_parser.decoding import GZIP_MAGIC, decode, decoded_limit, gunzip
from nephila_parser.directives import directives_of_header
from nephila_parser.document import Document
from nephila_parser.html_page import read_html
from nephila_parser.mime_sniffing import (
    HTML,
    PLAIN,
    XHTML,
    feed_or_page_type,
    is_json,
    is_sitemap_root,
    is_xml,
    sniff,
    xml_root,
)
from nephila_parser.mime_type import parse_mime_type
from nephila_parser.page import ParsedPage, ParseJob, ParseLimits
from nephila_parser.plain_text import read_plain_text

Reader: TypeAlias = Callable[[Document], ParsedPage]

_FEEDS = frozenset({"application/rss+xml", "application/atom+xml", "application/rdf+xml"})


def parse_page(job: ParseJob, limits: ParseLimits) -> ParsedPage:
    """Everything that is found in an answer. The same job gives the same page, in any process."""
    most = limits.sitemap_bytes if job.kind == URL_KIND_SITEMAP else limits.decoded_bytes
    limit = most if job.packed_here else decoded_limit(len(job.body), most, limits)
    decoded = decode(job.body, job.coding, limit)
    document = _document(job, limits, decoded.data)
    reader = _reader(document)
    if decoded.cut and not decoded.data:
        page = ParsedPage(REASON_UNDECODABLE)
    elif reader is None:
        page = ParsedPage(REASON_NOT_PARSED)
    else:
        page = reader(document)
    page.content_hash = hashlib.sha256(decoded.data).digest()
    page.body_bytes = len(decoded.data)
    page.body_cut = decoded.cut
    page.mime_type = document.mime_type
    if reader is not read_html and job.x_robots_tag:
        page.directives = directives_of_header(job.x_robots_tag, limits.product_token)
    return page


def _document(job: ParseJob, limits: ParseLimits, body: bytes) -> Document:
    declared = parse_mime_type(job.content_type) if job.content_type else None
    charset = declared.charset if declared else ""
    return Document(job, limits, body, sniff(body, declared), charset)


def _reader(document: Document) -> Reader | None:
    """Who reads a document; None when nobody does."""
    kind = document.mime_type
    if document.job.kind == URL_KIND_SITEMAP:
        return _sitemap_reader(document)
    if kind in (HTML, XHTML):
        return read_html
    if is_xml(kind):
        return _xml_reader(document)
    if is_json(kind):
        return _json_reader(document)
    return read_plain_text if kind == PLAIN else None


# XML and JSON are the exception on the web: lxml is loaded when the first one comes.
def _xml_reader(document: Document) -> Reader | None:
    root = xml_root(document.body)
    if is_sitemap_root(root):
        from nephila_parser.sitemap import read_sitemap

        return read_sitemap
    if (feed_or_page_type(root) or document.mime_type) in _FEEDS:
        from nephila_parser.feed import read_feed

        return read_feed
    return read_html if feed_or_page_type(root) == XHTML else None


def _json_reader(document: Document) -> Reader | None:
    from nephila_parser.feed import is_json_feed, read_json_feed

    return read_json_feed if is_json_feed(document.body) else None


def _sitemap_reader(document: Document) -> Reader | None:
    """Of a URL that robots.txt or a sitemap calls a sitemap: what it is served as counts for little."""
    from nephila_parser.feed import read_feed
    from nephila_parser.sitemap import read_sitemap, read_sitemap_list

    def unpacked(read: Reader) -> Reader:
        return lambda _: read(inner)

    inner = document
    if document.body.startswith(GZIP_MAGIC):
        # sitemap.xml.gz is gzip whatever its content coding was.
        limits = document.limits
        most = decoded_limit(len(document.body), limits.sitemap_bytes, limits)
        inner = document._replace(body=gunzip(document.body, most).data)
    root = xml_root(inner.body)
    if feed_or_page_type(root) in _FEEDS:
        return unpacked(read_feed)
    if is_sitemap_root(root) or inner.body[:512].lstrip(b"\xef\xbb\xbf\t\n\r ").startswith(
        b"<?xml"
    ):
        return unpacked(read_sitemap)
    if feed_or_page_type(root) == XHTML:
        return read_html
    return unpacked(read_sitemap_list)
