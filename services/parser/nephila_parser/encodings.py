"""How a text's bytes are to be read: the WHATWG Encoding and HTML standards.

In order: byte order mark, the server's charset, what the document itself says in its first bytes; and
where nothing is said, UTF-8 when the bytes are valid UTF-8, else what a detector makes of them, else
windows-1252. Labels are the standard's, so "latin1" is windows-1252 and "gb2312" is GBK.
"""

import codecs
import re
from functools import lru_cache

import cchardet
import webencodings

# HTML 13.2.3.2 looks at 1024 bytes, and at a meta element further down changes the encoding and begins
# anew: the same answer in one go.
PRESCAN_BYTES = 16_384
# The detector's answer does not get better after that, its time does not stop growing.
_DETECTED_BYTES = 16_384
_LEAST_CONFIDENCE = 0.5
# Names of the detector's that are no labels.
_DETECTORS_OWN = {"maccyrillic": "x-mac-cyrillic", "uhc": "euc-kr", "cp949": "euc-kr"}
UTF_8 = "utf-8"
FALLBACK = "windows-1252"

_MARKS = ((b"\xef\xbb\xbf", UTF_8), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_XML_ENCODING = re.compile(
    rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']\s*([A-Za-z0-9._:-]+)\s*["']"""
).match
_META = re.compile(rb"<meta[\t\n\x0c\r /]", re.IGNORECASE).match
_TAG = re.compile(rb"</?[A-Za-z][^\t\n\x0c\r >]*").match
_ASIDE = re.compile(rb"<[!/?][^>]*").match
_ATTRIBUTE = re.compile(
    rb"[\t\n\x0c\r /]*(?P<name>[^\t\n\x0c\r />=][^\t\n\x0c\r />=]*|=[^\t\n\x0c\r />=]*)"
    rb"(?:[\t\n\x0c\r ]*=[\t\n\x0c\r ]*"
    rb"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)'|(?P<bare>[^\t\n\x0c\r >\"'][^\t\n\x0c\r >]*))?)?"
).match
_CHARSET = re.compile(
    rb"charset[\t\n\x0c\r ]*=[\t\n\x0c\r ]*(?:\"([^\"]*)\"|'([^']*)'|([^\t\n\x0c\r ;\"'][^\t\n\x0c\r ;]*))",
    re.IGNORECASE,
).search


@lru_cache(maxsize=256)
def encoding_of_label(label: str) -> str:
    """The standard's name for a label, in lower case; empty when it is none."""
    # The standard strips ASCII blanks only, and so do we: webencodings strips others too.
    found = webencodings.lookup(label)
    return found.name.lower() if found else ""


def html_encoding(body: bytes, http_charset: str) -> str:
    """What an HTML document says about its encoding; empty when it says nothing."""
    return (
        _mark(body)
        or encoding_of_label(http_charset)
        or _prescan(body[:PRESCAN_BYTES])
        or _xml_declaration(body)
    )


def xml_encoding(body: bytes, http_charset: str) -> str:
    """What an XML document says about its encoding; empty when it says nothing."""
    return _mark(body) or encoding_of_label(http_charset) or _xml_declaration(body)


def text_encoding(body: bytes, http_charset: str) -> str:
    """What is said of a plain text's encoding; empty when nothing is."""
    return _mark(body) or encoding_of_label(http_charset)


def is_utf_8(body: bytes) -> bool:
    if body.isascii():
        return True
    try:
        codecs.utf_8_decode(body, "strict", True)
    except UnicodeDecodeError:
        return False
    return True


def guessed_encoding(body: bytes) -> str:
    """The encoding of a text about which nothing is said."""
    if is_utf_8(body):
        # Escapes to two-byte characters: the one such encoding of the standard's.
        return "iso-2022-jp" if b"\x1b$B" in body[:_DETECTED_BYTES] else UTF_8
    found = cchardet.detect(body[:_DETECTED_BYTES])
    if (found["confidence"] or 0) < _LEAST_CONFIDENCE:
        return FALLBACK
    label = (found["encoding"] or "").lower()
    return encoding_of_label(_DETECTORS_OWN.get(label, label)) or FALLBACK


def decode_text(body: bytes, charset: str) -> str:
    """The text in an encoding of the standard's, its mark dropped and what is invalid replaced."""
    for mark, of in _MARKS:
        if body.startswith(mark) and charset == of:
            body = body[len(mark) :]
    found = webencodings.lookup(charset)
    if found is None or charset in ("utf-8", "replacement"):
        return body.decode("utf-8", "replace")
    return found.codec_info.decode(body, "replace")[0]


def _mark(body: bytes) -> str:
    for mark, charset in _MARKS:
        if body.startswith(mark):
            return charset
    return ""


def _xml_declaration(body: bytes) -> str:
    found = _XML_ENCODING(body)
    if found is None:
        return _utf_16_declaration(body)
    return _settled(encoding_of_label(found[1].decode("ascii")))


def _utf_16_declaration(body: bytes) -> str:
    # HTML "xml declaration" step, XML 1.0 appendix F: "<?" in two bytes each.
    if body.startswith(b"<\0?\0x\0"):
        return "utf-16le"
    if body.startswith(b"\0<\0?\0x"):
        return "utf-16be"
    return ""


def _settled(name: str) -> str:
    """HTML 13.2.3.2: bytes that could be read so far are not UTF-16, whatever they say."""
    if name in ("utf-16le", "utf-16be"):
        return UTF_8
    return FALLBACK if name == "x-user-defined" else name


def _prescan(head: bytes) -> str:
    """HTML 13.2.3.2, "prescan a byte stream to determine its encoding"."""
    if b"charset" not in head.lower():
        return ""
    at = 0
    while (at := head.find(b"<", at)) >= 0:
        if head.startswith(b"<!--", at):
            # "<!-->" is a whole comment.
            end = head.find(b"-->", at + 2)
            if end < 0:
                return ""
            at = end + 3
        elif _META(head, at):
            attributes, at = _attributes(head, at + 5)
            found = _meta_charset(attributes)
            if found and at < len(head):
                return found
        elif tag := _TAG(head, at):
            _, at = _attributes(head, tag.end())
        elif aside := _ASIDE(head, at):
            at = aside.end()
        else:
            at += 1
    return ""


def _attributes(head: bytes, at: int) -> tuple[dict[bytes, bytes], int]:
    """The attributes of the tag that goes on at `at`, and where it ends."""
    attributes: dict[bytes, bytes] = {}
    while found := _ATTRIBUTE(head, at):
        value = found["double"] or found["single"] or found["bare"] or b""
        attributes.setdefault(found["name"].lower(), value)
        at = found.end()
        if at >= len(head):
            break
    return attributes, at


def _meta_charset(attributes: dict[bytes, bytes]) -> str:
    label = attributes.get(b"charset")
    if label is None:
        if attributes.get(b"http-equiv", b"").lower() != b"content-type":
            return ""
        found = _CHARSET(attributes.get(b"content", b""))
        label = (found[1] or found[2] or found[3] or b"") if found else b""
    return _settled(encoding_of_label(label.decode("latin-1")))
