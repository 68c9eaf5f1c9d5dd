"""A response's head as the archive keeps it: what was served, made true for the payload beside it."""

import re

# Fields that speak of how the body travelled: (transfer coding, length, content coding).
_FRAMING = re.compile(
    rb"^(?:transfer-encoding|content-length|content-encoding)(?=[ \t]*:)",
    re.IGNORECASE | re.MULTILINE,
)
_LENGTH = re.compile(
    rb"^content-length[ \t]*:[ \t]*([0-9]+)[ \t]*\r$", re.IGNORECASE | re.MULTILINE
)
_VERSION = re.compile(rb"\S+")
_HEAD_END = b"\r\n\r\n"
_LINE_END = re.compile(rb"[\r\n]+")
_PRINTED = re.compile(rb"[!-~]")
_BLANK = re.compile(rb"\n[^!-~\n]*\n")
_KEPT = b"X-Crawler-"
_STATUS_LINES = (b"HTTP/1.1 ", b"HTTP/1.0 ")


def archived_head(head: bytes, payload_length: int | None, *, decoded: bool) -> bytes:
    """The head for a payload of that many bytes, of which the transfer coding was taken off.

    None is a payload that lies elsewhere: then Content-Length stays as served. Fields that no longer
    hold are kept under the prefix `X-Crawler-`, and Content-Length is set right. `decoded` says that
    the content coding was taken off too. Lines end in CRLF and the version is HTTP/1.x, whatever came
    over the wire: archive readers know no other.
    """
    head = _regular(head)
    length = _LENGTH.search(head)
    length_holds = payload_length is None or (
        length is not None and int(length[1]) == payload_length
    )
    recoded = False

    def rename(field: re.Match[bytes]) -> bytes:
        nonlocal recoded
        name = field[0].lower()
        if name == b"content-encoding" and not decoded:
            return field[0]
        if name == b"content-length" and length_holds:
            return field[0]
        recoded = True
        return _KEPT + field[0]

    head = _FRAMING.sub(rename, head)
    if recoded and payload_length is not None and not length_holds:
        head = b"%sContent-Length: %d\r\n\r\n" % (head[:-2], payload_length)
    return head


def _regular(head: bytes) -> bytes:
    ends = head.count(b"\r\n")
    irregular = head.count(b"\n") != ends or head.count(b"\r") != ends or _BLANK.search(head[:-2])
    if irregular or not head.endswith(_HEAD_END):
        # A reader may take any line that looks blank for the head's end.
        lines = [line for line in _LINE_END.split(head) if _PRINTED.search(line)]
        head = b"\r\n".join(lines) + _HEAD_END
    if not head.startswith(_STATUS_LINES):
        head = _VERSION.sub(b"HTTP/1.1", head, count=1)
    return head
