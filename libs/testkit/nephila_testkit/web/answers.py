"""What the synthetic web answers: a pure function of the request and of how often it came before."""

import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import formatdate
from enum import StrEnum
from hashlib import sha256

from nephila_testkit.web import prose
from nephila_testkit.web.graph import Links, Node, SyntheticHost, SyntheticWeb
from nephila_testkit.web.shape import Role
from nephila_testkit.web.site_files import robots_body, sitemap_body

_LAST_MODIFIED = "Tue, 03 Jun 2025 10:00:00 GMT"
_HTML = ("Content-Type", "text/html; charset=utf-8")
_TEXT = ("Content-Type", "text/plain; charset=utf-8")


class Ending(StrEnum):
    """How the connection goes on after an answer."""

    WHOLE = "whole"
    # Half of the body, then the connection is closed.
    CUT = "cut"
    # No byte at all: the connection is reset.
    RESET = "reset"


@dataclass(frozen=True, slots=True)
class SyntheticAnswer:
    """One answer, before it is framed."""

    status: int
    role: Role
    # Without Content-Length, Transfer-Encoding and Connection, which whoever serves it adds.
    headers: tuple[tuple[str, str], ...] = ()
    # As it goes over the wire, content coding put on.
    body: bytes = b""
    # The same without content coding.
    payload: bytes = b""
    # Before the first byte.
    delay_s: float = 0.0
    ending: Ending = Ending.WHOLE
    chunked: bool = False
    # What Retry-After asks for, where it can be understood.
    asked_wait_s: float = 0.0
    location: str = ""


def answer(
    web: SyntheticWeb, host: str, target: str, headers: Mapping[str, str], now: float, count: int
) -> SyntheticAnswer:
    """What a URL answers.

    `host` is the Host field, `headers` has lower-case names, `now` is seconds since 1970 and
    `count` how many requests for this URL came before.
    """
    site = web.by_name.get(host.lower())
    if site is None:
        return SyntheticAnswer(421, Role.UNKNOWN)
    if target == "/robots.txt" or target == "/robots-moved.txt":
        return _robots(web, site, target, count)
    if site.capricious and count == 0 and (len(target) + site.number) % 3 == 0:
        return _put_off(web, len(target), now)
    if site.sitemap and (listing := sitemap_body(web, site, target)) is not None:
        media = "application/x-gzip" if target.endswith(".gz") else "application/xml"
        kind = (("Content-Type", media),)
        return SyntheticAnswer(200, Role.SITEMAP, kind, listing, listing, _latency(web, site))
    node = site.nodes.get(target)
    if node is None or node.role is Role.GONE:
        return _gone(web, site, node)
    if node.role is Role.REDIRECT:
        return _redirect(web, site, node)
    return _page(web, site, node, headers, count)


def page_body(web: SyntheticWeb, node: Node, version: int = 0) -> bytes:
    """The HTML of a node; only a changing page has more than one version."""
    if node.role is Role.DUPLICATE and node.twin is not None:
        return page_body(web, node.twin)
    source = node.twin or node
    text = prose.words((web.shape.seed << 46) ^ _serial(source), web.shape.words_per_page)
    if node.role is Role.NEAR_DUPLICATE:
        text = prose.nearly(text, node.number)
    if version:
        text = [*text, *prose.words(_serial(source) ^ (version << 50), 40)]
    return _html(f"Page {source.target} of host {source.host}", web.links_of(node), text)


def _serial(node: Node) -> int:
    return (node.host << 24) ^ (node.number << 2) ^ (node.role is not Role.PAGE)


def _html(title: str, links: Links, text: list[str]) -> bytes:
    base = f'<base href="{links.base}">' if links.base else ""
    anchors = "".join(f'<li><a href="{href}">link</a></li>\n' for href in links.hrefs)
    return (
        f"<!doctype html>\n<html lang=la><head><title>{title}</title>{base}</head>\n"
        f"<body><h1>{title}</h1>\n{prose.paragraphs(text)}<ul>\n{anchors}</ul></body></html>\n"
    ).encode()


def _page(
    web: SyntheticWeb, site: SyntheticHost, node: Node, headers: Mapping[str, str], count: int
) -> SyntheticAnswer:
    first = count == 0
    if node.role is Role.RESET and first:
        return SyntheticAnswer(0, node.role, ending=Ending.RESET)
    if node.role is Role.FAILING and first:
        return SyntheticAnswer(500, node.role, (_TEXT,), b"failing\n", b"failing\n")
    payload = page_body(web, node, count if node.role is Role.CHANGING else 0)
    etag = f'"{sha256(payload).hexdigest()[:20]}"'
    fields = [_HTML, ("ETag", etag), ("Last-Modified", _LAST_MODIFIED)]
    delay_s = _latency(web, site) + (web.shape.slow_page_s if node.role is Role.SLOW else 0.0)
    if _is_known(headers, etag, node):
        return SyntheticAnswer(304, node.role, tuple(fields), delay_s=delay_s)
    body = payload
    if site.gzips and "gzip" in headers.get("accept-encoding", ""):
        # mtime=0 keeps the bytes a function of the page.
        body = gzip.compress(payload, 1, mtime=0)
        fields.append(("Content-Encoding", "gzip"))
    ending = Ending.CUT if node.role is Role.CUT and first else Ending.WHOLE
    return SyntheticAnswer(
        200, node.role, tuple(fields), body, payload, delay_s, ending, site.number % 3 == 1
    )


def _is_known(headers: Mapping[str, str], etag: str, node: Node) -> bool:
    """If-None-Match goes before If-Modified-Since (RFC 9110 13.1.3)."""
    if "if-none-match" in headers:
        return etag in headers["if-none-match"]
    unchanging = node.role is not Role.CHANGING
    return unchanging and headers.get("if-modified-since") == _LAST_MODIFIED


def _robots(web: SyntheticWeb, site: SyntheticHost, target: str, count: int) -> SyntheticAnswer:
    if target != "/robots.txt" and site.robots != "moved":
        return _gone(web, site, None)
    if site.robots == "closed" or (site.robots == "flaky" and count == 0):
        return SyntheticAnswer(503, Role.ROBOTS, (_TEXT,), b"no\n", b"no\n")
    if site.robots == "absent":
        return SyntheticAnswer(404, Role.ROBOTS, (_TEXT,), b"none\n", b"none\n")
    if site.robots == "moved" and target == "/robots.txt":
        place = f"{site.origin}/robots-moved.txt"
        return SyntheticAnswer(301, Role.ROBOTS, (("Location", place),), location=place)
    body = robots_body(site)
    return SyntheticAnswer(200, Role.ROBOTS, (_TEXT,), body, body, _latency(web, site))


def _put_off(web: SyntheticWeb, salt: int, now: float) -> SyntheticAnswer:
    """429 or 503 with Retry-After, in all the ways in which servers write it."""
    asked = web.shape.retry_after_s
    field, understood = str(asked), float(asked)
    told: tuple[tuple[str, str], ...] = ()
    if web.shape.strange_retry_after:
        # A date has whole seconds: one less than written may be left of it.
        date = formatdate(now + asked + 1, usegmt=True)
        forms = ((field, understood), (date, understood), ("-5", 0.0), ("soon", 0.0), ("1.5", 0.0))
        field, understood = forms[salt % len(forms)]
        # Whoever writes dates has a clock, and tells what it says (RFC 9110 6.6.1).
        told = (("Date", formatdate(now, usegmt=True)),)
    status = 429 if salt % 2 else 503
    headers = (_TEXT, ("Retry-After", field), *told)
    body = b"later\n"
    return SyntheticAnswer(status, Role.PAGE, headers, body, body, asked_wait_s=understood)


def _gone(web: SyntheticWeb, site: SyntheticHost, node: Node | None) -> SyntheticAnswer:
    role = node.role if node else Role.UNKNOWN
    status = 410 if node and node.number % 2 else 404
    body = f"<!doctype html><title>{status}</title><p>Nothing is here.\n".encode()
    return SyntheticAnswer(status, role, (_HTML,), body, body, _latency(web, site))


def _redirect(web: SyntheticWeb, site: SyntheticHost, node: Node) -> SyntheticAnswer:
    status = (301, 302, 307, 308, 303)[node.number % 5]
    body = b"moved\n"
    headers = (_TEXT, ("Location", node.location))
    latency = _latency(web, site)
    return SyntheticAnswer(status, node.role, headers, body, body, latency, location=node.location)


def _latency(web: SyntheticWeb, site: SyntheticHost) -> float:
    return web.shape.slow_host_s if site.slow else 0.0
