"""What a body is, from its first bytes and from what its server says: MIME Sniffing Standard, as far as a
crawler needs it.

Where the standard would believe a server that calls a PDF or an archive `text/html`, the bytes are
believed instead: what is no text never reaches a parser of text.
"""

import re

from nephila_parser.mime_type import MimeType

# MIME Sniffing 5.2: the resource header.
HEAD_BYTES = 1445
HTML = "text/html"
XHTML = "application/xhtml+xml"
PLAIN = "text/plain"
BINARY = "application/octet-stream"

_UNKNOWN = frozenset({"", "unknown/unknown", "application/unknown", "*/*"})
# 7.1: markup that makes an unlabelled resource HTML, followed by a blank or ">".
_HTML_START = re.compile(
    rb"[\t\n\x0c\r ]*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body"
    rb"|br|p|!--)(?=[\t\n\x0c\r >])",
    re.IGNORECASE,
).match
_COMMENT_START = re.compile(rb"[\t\n\x0c\r ]*<!--").match
_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?[\t\n\x0c\r ]*<\?xml").match
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"%!PS-Adobe-", "application/postscript"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"BM", "image/bmp"),
    (b"OggS\0", "application/ogg"),
    (b"MThd\0\0\0\x06", "audio/midi"),
    (b"\x1a\x45\xdf\xa3", "video/webm"),
    (b"wOFF", "font/woff"),
    (b"wOF2", "font/woff2"),
    (b"\x1f\x8b\x08", "application/gzip"),
    (b"PK\x03\x04", "application/zip"),
    (b"Rar!\x1a\x07", "application/vnd.rar"),
    (b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (b"\x7fELF", "application/x-executable"),
)
_RIFF = {b"WEBPVP": "image/webp", b"WAVE": "audio/wave", b"AVI ": "video/avi"}
# 4.6 "binary data byte": controls other than tab, line ends, form feed and escape.
_BINARY_BYTE = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]").search
_UNICODE_MARKS = (b"\xef\xbb\xbf", b"\xfe\xff", b"\xff\xfe")
# 7.3, and the roots of sitemaps: which document an XML text is.
_ROOT = re.compile(rb"<(?:[A-Za-z_][\w.-]*:)?([A-Za-z_][\w.-]*)")
_ROOTS = {
    b"rss": "application/rss+xml",
    b"feed": "application/atom+xml",
    b"rdf": "application/rdf+xml",
    b"html": XHTML,
}
_SITEMAP_ROOTS = frozenset({b"urlset", b"sitemapindex"})
_MARKUP_ASIDE = re.compile(rb"[^<]*<(?:\?.*?\?>|!--.*?-->|![^\[>]*(?:\[.*?\]\s*)?>)", re.DOTALL)


def sniff(body: bytes, declared: MimeType | None) -> str:
    """The essence of what the body is."""
    head = body[:HEAD_BYTES]
    essence = declared.essence if declared else ""
    if declared and declared.charset.lower().startswith("utf-16"):
        # Its letters have zero bytes: looked at without them.
        head = head.replace(b"\0", b"")
    if essence in (HTML, XHTML):
        return _magic(head) or _labelled_html(head, essence)
    if essence in _UNKNOWN:
        return _unlabelled(head)
    if essence.startswith("text/") or essence == BINARY or is_xml(essence):
        # Many servers label what they do not know as one of these.
        found = _magic(head)
        if found:
            return found
        if essence == BINARY:
            return _unlabelled(head)
        if essence == PLAIN and looks_binary(head):
            return BINARY
    return essence


def is_xml(essence: str) -> bool:
    """4.6: an XML MIME type."""
    return essence.endswith("+xml") or essence in ("text/xml", "application/xml")


def is_json(essence: str) -> bool:
    """4.6: a JSON MIME type."""
    return essence.endswith("+json") or essence in ("application/json", "text/json")


def xml_root(body: bytes) -> bytes:
    """The lower-case local name of the root element, as far as the first bytes show it."""
    head = body[: 4 * HEAD_BYTES].replace(b"\0", b"")
    at = 0
    while aside := _MARKUP_ASIDE.match(head, at):
        at = aside.end()
    root = _ROOT.search(head, at)
    return root[1].lower() if root else b""


def is_sitemap_root(root: bytes) -> bool:
    return root in _SITEMAP_ROOTS


def feed_or_page_type(root: bytes) -> str:
    """The essence that a root element stands for; empty for others."""
    return _ROOTS.get(root, "")


def looks_binary(head: bytes) -> bool:
    """7.2: whether bytes labelled as text are none."""
    if head.startswith(_UNICODE_MARKS):
        return False
    return _BINARY_BYTE(head[:HEAD_BYTES]) is not None


def _labelled_html(head: bytes, essence: str) -> str:
    if _XML_START(head) or b"<rss" in head or b"<feed" in head or b"rdf:RDF" in head:
        return _ROOTS.get(xml_root(head), essence) if essence == HTML else essence
    if looks_binary(head) and not _HTML_START(head):
        return BINARY
    return essence


def _unlabelled(head: bytes) -> str:
    if _HTML_START(head) or _COMMENT_START(head):
        return HTML
    if _XML_START(head):
        return "text/xml"
    found = _magic(head)
    if found:
        return found
    return BINARY if looks_binary(head) else PLAIN


def _magic(head: bytes) -> str:
    for magic, essence in _MAGIC:
        if head.startswith(magic):
            # "BM" begins a text as well as a bitmap.
            return "" if essence == "image/bmp" and not looks_binary(head) else essence
    if head.startswith(b"RIFF"):
        return next((kind for mark, kind in _RIFF.items() if head.startswith(mark, 8)), "")
    if head[4:8] == b"ftyp":
        return "video/mp4"
    return ""
