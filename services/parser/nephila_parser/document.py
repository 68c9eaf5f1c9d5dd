"""An answer unpacked and sniffed, as the readers of each content type get it."""

from typing import NamedTuple

from nephila_parser.page import ParseJob, ParseLimits


class Document(NamedTuple):
    """`body` is decoded; `mime_type` is what it is by sniffing; `http_charset` is the server's label."""

    job: ParseJob
    limits: ParseLimits
    body: bytes
    mime_type: str
    http_charset: str
