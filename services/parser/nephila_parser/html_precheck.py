"""What is looked at before a tree is built: some pages take a parser minutes, by design or by accident.

Measured on Lexbor: 100,000 nested elements take more than a minute, 40,000 attributes of one tag take
seven seconds, a million tags take six. The checks count bytes; only what looks suspicious is looked at
closely. The CPU limit of the process stands behind them.
"""

import re

import numpy as np

# Most documents have less than 20 KB without a ">" in it, and 4,000 attributes take 50 ms.
_LONG_TAG = 16_384
_ATTRIBUTES = 4_000
_STRETCH = 65_536
_LESS_THAN = ord("<")
_ATTRIBUTE_SIGNS = re.compile(rb"[\s/\"'][^\s/\"'=>]")
_TAG = re.compile(rb"<(/?)([A-Za-z][A-Za-z0-9]*)")
# Void elements, and those that the next of their kind ends (HTML 13.1.2.4): they do not nest.
_FLAT = frozenset(
    b"area base br col embed hr img input link meta source track wbr param p li dt dd option optgroup "
    b"tr td th tbody thead tfoot a button body html head".split()
)
# What is kept of a page that nests too deeply: what carries links and meaning, and what hides text.
_KEPT = (
    rb"a|area|base|frame|html|head|body|iframe|link|meta|title|script|style|noscript|template|textarea"
    rb"|svg|br"
)
_CONTAINER = re.compile(rb"</?(?!(?:" + _KEPT + rb")[\s/>])[A-Za-z][^<>]*>", re.IGNORECASE)


def made_safe(body: bytes, most_tags: int, most_nested: int) -> bytes:
    """The body, without what would choke a parser."""
    # Seven times as fast as bytes.count, which stops at each of them.
    opened = np.count_nonzero(np.frombuffer(body, dtype=np.uint8) == _LESS_THAN)
    if opened > most_tags:
        body = _first_tags(body, most_tags)
    if opened > most_nested and _may_nest(body, most_nested) and _nesting(body) > most_nested:
        body = _CONTAINER.sub(b"\n", body)
    return _without_long_tags(body)


def _may_nest(body: bytes, most: int) -> bool:
    """False when more start tags than `most` are nowhere without their end tags, looking every 64 KB."""
    depth = 0
    for at in range(0, len(body), _STRETCH):
        depth += body.count(b"<", at, at + _STRETCH) - 2 * body.count(b"</", at, at + _STRETCH)
        if depth > most // 2:
            return True
    return False


def _first_tags(body: bytes, most: int) -> bytes:
    at = -1
    for _ in range(most):
        at = body.find(b"<", at + 1)
    return body[:at]


def _nesting(body: bytes) -> int:
    """How many elements are open at most, roughly: end tags are taken to end something."""
    depth = deepest = 0
    for end, name in _TAG.findall(body):
        if end:
            depth -= depth > 0
        elif name.lower() not in _FLAT:
            depth += 1
            deepest = max(deepest, depth)
    return deepest


def _without_long_tags(body: bytes) -> bytes:
    at = 0
    while at + _LONG_TAG <= len(body):
        closed = body.rfind(b">", at, at + _LONG_TAG)
        if closed >= 0:
            at = closed + 1
            continue
        end = body.find(b">", at)
        end = len(body) if end < 0 else end
        opened = body.rfind(b"<", at, end)
        if opened >= 0 and len(_ATTRIBUTE_SIGNS.findall(body, opened, end)) > _ATTRIBUTES:
            body = body[:opened] + body[end + 1 :]
        else:
            at = end + 1
    return body
