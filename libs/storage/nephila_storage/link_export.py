"""link_graph as lines of JSON: one a page, in place of the page's earlier ones."""

from itertools import repeat

import msgspec
from nephila_contracts.v1.links_pb2 import PageLinks


class LinkTarget(msgspec.Struct, frozen=True):
    """One edge. `rel` is the attribute as written."""

    url: str
    anchor: str
    rel: str


class LinkLine(msgspec.Struct, frozen=True):
    """The edges of a page. Of two lines with one source the higher sequence holds."""

    source: str
    sequence: int
    targets: list[LinkTarget]


_encode = msgspec.json.Encoder().encode


def link_line(message: PageLinks) -> bytes:
    """The line of one page, with its newline."""
    urls = message.target_urls
    anchors, rels = message.anchors or repeat(""), message.rels or repeat("")
    # Not strict: an absent list stands for as many empty texts as there are targets.
    targets = [LinkTarget(*edge) for edge in zip(urls, anchors, rels, strict=False)]
    return _encode(LinkLine(message.source_url, message.sequence, targets)) + b"\n"
