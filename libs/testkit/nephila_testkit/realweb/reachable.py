"""Works out which URLs a crawl of one site must find, with nothing of the product.

The rules, in words. A page is what the server calls HTML. Links are: a and area (href); iframe and
frame (src); meta refresh; link (href) when its rel has canonical, next, prev, previous, first, last,
up, amphtml, shortlink or sitemap, or is alternate with a hreflang or a feed's type. Links with
rel=nofollow, and those of pages whose meta robots says nofollow, are left out. The first base
element with a href is what links are read against. Redirects lead on. A URL is kept without its
fragment and its default port, host in lower case, dot segments resolved, escapes in upper case and
none for letters, digits and `-._~`, a query of pairs in the order of their names. Only the site's
own host is in scope, and robots.txt is obeyed.
"""

import argparse
import http.client
import json
import re
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import quote, urljoin, urlsplit

from lxml import etree

from nephila_testkit.web import robots_rules
from nephila_testkit.web.robots_rules import RobotsRules

AGENT = "reachable-walk"
_HTML = ("text/html", "application/xhtml+xml")
_PAGE_RELATIONS = set(
    "canonical next prev previous first last up amphtml shortlink sitemap".split()  # noqa: SIM905
)
_FEEDS = ("application/rss+xml", "application/atom+xml", "application/feed+json")
_REFRESH = re.compile(r"\s*[0-9.]*\s*[;,]?\s*(?:url\s*=\s*)?['\"]?([^'\"]*)", re.IGNORECASE)
_ESCAPE = re.compile(r"%([0-9A-Fa-f]{2})")
_UNRESERVED = re.compile(r"[A-Za-z0-9._~-]")
_KEPT_IN_PATH = "/%!$&'()*+,;=:@|[]"
_KEPT_IN_QUERY = _KEPT_IN_PATH + "?{}^`\\"


@dataclass(frozen=True, slots=True)
class Served:
    """One URL and what it answered."""

    url: str
    status: int
    # Of the body, in hexadecimal.
    sha256: str
    bytes: int
    media_type: str


def canonical(base: str, href: str) -> str | None:
    """The URL that a link means, by the rules above; None when it is not HTTP."""
    href = re.sub(r"[\t\r\n]", "", href.strip(" \t\r\n\f"))
    try:
        parts = urlsplit(urljoin(base, href))
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return None
    host = parts.netloc.lower().removesuffix(":80" if parts.scheme == "http" else ":443")
    # Joined once more, since urljoin leaves the dot segments of an absolute URL.
    path = urljoin("/", parts.path.replace("\\", "/")) or "/"
    query = _ordered(parts.query)
    told = _escaped(path, _KEPT_IN_PATH) + (f"?{_escaped(query, _KEPT_IN_QUERY)}" if query else "")
    return f"{parts.scheme}://{host}{told}"


def _ordered(query: str) -> str:
    """A query that is not all pairs may mean anything: its order is kept."""
    pairs = query.split("&")
    if not all("=" in pair for pair in pairs):
        return query
    return "&".join(sorted(pairs, key=lambda pair: pair.partition("=")[0]))


def _escaped(text: str, kept: str) -> str:
    return _ESCAPE.sub(_one_escape, quote(text, safe=kept))


def _one_escape(escape: re.Match[str]) -> str:
    character = chr(int(escape[1], 16))
    return character if _UNRESERVED.fullmatch(character) else f"%{escape[1].upper()}"


def links_of(url: str, body: bytes) -> Iterator[str]:
    """Canonical URLs of a page's links; of a link met twice the first."""
    tree: Any = etree.HTML(body, etree.HTMLParser(huge_tree=True, recover=True))
    if tree is None:
        return
    base = next(iter(tree.xpath("//base/@href")), "")
    against = urljoin(url, base.strip()) if base else url
    if any(
        "nofollow" in content.lower() for content in tree.xpath("//meta[@name='robots']/@content")
    ):
        return
    for href in dict.fromkeys(link.partition("#")[0] or against for link in _hrefs(tree)):
        found = canonical(against, href)
        if found is not None:
            yield found


def _hrefs(tree: Any) -> Iterator[str]:
    for element in tree.iter("a", "area", "iframe", "frame", "link", "meta"):
        get = element.get
        if element.tag in ("a", "area"):
            if "nofollow" not in get("rel", "").lower():
                yield get("href", "#")
        elif element.tag == "link":
            if _leads_on(get("rel", "").lower().split(), get("hreflang"), get("type", "")):
                yield get("href", "#")
        elif element.tag == "meta":
            if get("http-equiv", "").lower() == "refresh":
                refresh = _REFRESH.match(get("content", ""))
                yield refresh[1].strip() if refresh and refresh[1] else "#"
        else:
            yield get("src", "#")


def _leads_on(relations: Iterable[str], language: str | None, media_type: str) -> bool:
    if "alternate" in relations:
        return bool(language) or media_type.lower() in _FEEDS
    return not _PAGE_RELATIONS.isdisjoint(relations)


class SiteWalk:
    """A walk over one site, asked for at its address; the site's name goes into the Host field."""

    def __init__(self, seed: str, address: str) -> None:
        parts = urlsplit(seed)
        self._seed = seed
        self._host = parts.netloc
        self._server = http.client.HTTPConnection(address, parts.port or 80)

    def run(self) -> Iterator[Served]:
        """Every URL of the site that can be reached, each once, whatever it answers."""
        rules = self._rules()
        met = {self._seed}
        waiting = deque(met)
        while waiting:
            url = waiting.popleft()
            if not rules.allows(_target(url)):
                continue
            served, found = self._visit(url)
            yield served
            for link in found:
                if link not in met and urlsplit(link).netloc == self._host:
                    met.add(link)
                    waiting.append(link)

    def _rules(self) -> RobotsRules:
        status, _, body = self._get("/robots.txt")
        return robots_rules.parse(body.decode()) if status == 200 else robots_rules.ALLOW_ALL

    def _visit(self, url: str) -> tuple[Served, list[str]]:
        status, fields, body = self._get(_target(url))
        media_type = fields.get("Content-Type", "").partition(";")[0].strip().lower()
        served = Served(url, status, sha256(body).hexdigest(), len(body), media_type)
        found: list[str] = []
        if status in (301, 302, 303, 307, 308):
            leads_to = canonical(url, fields.get("Location", ""))
            found = [leads_to] if leads_to else []
        elif status == 200 and media_type in _HTML:
            found = list(links_of(url, body))
        return served, found

    def _get(self, target: str) -> tuple[int, http.client.HTTPMessage, bytes]:
        fields = {"Host": self._host, "User-Agent": AGENT}
        try:
            self._server.request("GET", target, headers=fields)
            answer = self._server.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError):
            # nginx ends a connection after 1,000 requests.
            self._server.close()
            self._server.request("GET", target, headers=fields)
            answer = self._server.getresponse()
        return answer.status, answer.headers, answer.read()

    def close(self) -> None:
        self._server.close()


def _target(url: str) -> str:
    parts = urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")


def main() -> None:
    """The command: JSON lines on stdout, a URL each."""
    parser = argparse.ArgumentParser(prog="python -m nephila_testkit.realweb.reachable")
    parser.add_argument("seed", help="URL of the site's index")
    parser.add_argument("--address", required=True, help="where the site is served")
    given = parser.parse_args()
    walk = SiteWalk(given.seed, given.address)
    for served in walk.run():
        sys.stdout.write(json.dumps(asdict(served)) + "\n")
    walk.close()


if __name__ == "__main__":
    main()
