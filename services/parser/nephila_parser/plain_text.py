"""Plain text: no links, no title, the text as it stands."""

from nephila_contracts.v1.reason_pb2 import REASON_FETCHED

from nephila_parser.document import Document
from nephila_parser.encodings import decode_text, guessed_encoding, text_encoding
from nephila_parser.page import ParsedPage
from nephila_parser.text_fields import keep_text


def read_plain_text(document: Document) -> ParsedPage:
    """A text/plain document, and what is near enough to it."""
    charset = text_encoding(document.body, document.http_charset) or guessed_encoding(document.body)
    page = ParsedPage(REASON_FETCHED, charset=charset)
    text = decode_text(document.body, charset)[: document.limits.text_chars]
    keep_text(
        page, "\n".join(line.rstrip() for line in text.replace("\0", "").splitlines()).strip()
    )
    return page
