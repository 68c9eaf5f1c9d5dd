"""An endless web: each page is made from its URL, so a crawl of any length costs no memory here.

Page n of a host is `/p{n}`; it links to 2n + 1 and 2n + 2 of its own host, which are new, and to
many pages with smaller numbers here and elsewhere, most of which a crawler knows by then: the
proportion that the real web shows.
"""

import gzip
from collections.abc import Mapping
from random import Random

from nephila_testkit.web import prose
from nephila_testkit.web.answers import SyntheticAnswer
from nephila_testkit.web.shape import Role, WebShape

_HTML = ("Content-Type", "text/html; charset=utf-8")
_TEXT = ("Content-Type", "text/plain")
_ROBOTS = b"User-agent: *\nDisallow: /private/\n"


def answer(
    shape: WebShape, host: str, target: str, headers: Mapping[str, str], now: float, count: int
) -> SyntheticAnswer:
    """As `answers.answer`; of the shape only seed, hosts, names, links and words are looked at."""
    if target == "/robots.txt":
        return SyntheticAnswer(200, Role.ROBOTS, (_TEXT,), _ROBOTS, _ROBOTS)
    number = _number(target)
    if number is None:
        return SyntheticAnswer(404, Role.UNKNOWN, (_TEXT,), b"none\n", b"none\n")
    payload = _body(shape, host, number)
    if "gzip" not in headers.get("accept-encoding", ""):
        return SyntheticAnswer(200, Role.PAGE, (_HTML,), payload, payload)
    fields = (_HTML, ("Content-Encoding", "gzip"))
    return SyntheticAnswer(200, Role.PAGE, fields, gzip.compress(payload, 1, mtime=0), payload)


def _number(target: str) -> int | None:
    if target == "/":
        return 0
    digits = target.removeprefix("/p")
    return int(digits) if digits != target and digits.isdecimal() and len(digits) < 16 else None


def _body(shape: WebShape, host: str, number: int) -> bytes:
    rng = Random(f"{shape.seed} {host} {number}")
    text = prose.paragraphs(rng.choices(prose.VOCABULARY, k=shape.words_per_page))
    links = [f"/p{2 * number + 1}", f"/p{2 * number + 2}"]
    for _ in range(shape.links_per_page):
        target = f"/p{rng.randrange(number + 1)}"
        foreign = rng.randrange(100) < shape.foreign_links
        links.append(f"{shape.origin(rng.randrange(shape.hosts))}{target}" if foreign else target)
    anchors = "".join(f'<li><a href="{link}">link</a></li>\n' for link in links)
    title = f"Page {number} of {host}"
    return f"<!doctype html><title>{title}</title>\n{text}<ul>\n{anchors}</ul>\n".encode()
