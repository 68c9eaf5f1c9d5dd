"""Which URLs a crawler must ask for, worked out from the graph by a plain walk.

It shares no code with the product: links are joined by urllib, which is right for the forms that
the synthetic web writes, and robots.txt is read by the testkit's own reader.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urljoin, urlsplit

from nephila_testkit.web import robots_rules
from nephila_testkit.web.answers import page_body
from nephila_testkit.web.graph import Node, SyntheticHost, SyntheticWeb
from nephila_testkit.web.shape import Role
from nephila_testkit.web.site_files import INDEX, robots_body, sitemap_targets

_MOST_REDIRECTS = 5
_BODIES_OF_THEIR_OWN = (Role.PAGE, Role.DUPLICATE, Role.SLOW, Role.LISTED, Role.PRIVATE)

Scope = Literal["any", "site", "host", "prefix"]


@dataclass(slots=True)
class Reachable:
    """What a whole crawl from some seeds must have done."""

    # At least one whole answer each, whatever its status.
    complete: set[str] = field(default_factory=set[str])
    # A request each, though its first answer is a 500, breaks off or never comes: whether a
    # crawler comes back for it in the same crawl is its own affair.
    attempted: set[str] = field(default_factory=set[str])
    sitemaps: set[str] = field(default_factory=set[str])
    # Never asked for.
    disallowed: set[str] = field(default_factory=set[str])
    # Groups of URLs with one and the same body, each group sorted.
    aliases: list[list[str]] = field(default_factory=list[list[str]])


def reachable(web: SyntheticWeb, seeds: Iterable[str], scope: Scope = "any") -> Reachable:
    """Walks the web as a crawler with the scope must; unknown hosts are left out."""
    seeds = [plain(seed) for seed in seeds]
    within = _scope(seeds, scope)
    walk = _Walk(web)
    waiting = deque((seed, 0) for seed in seeds)
    met = set(seeds)
    while waiting:
        url, hops = waiting.popleft()
        for found, found_hops in walk.visit(url, hops):
            if found not in met and found_hops <= _MOST_REDIRECTS and within(found):
                met.add(found)
                waiting.append((found, found_hops))
    walk.result.aliases = _aliases(web, walk.result.complete)
    return walk.result


def plain(url: str) -> str:
    """The canonical text of the URLs that the synthetic web writes."""
    parts = urlsplit(url.strip())
    authority = parts.netloc.lower().removesuffix(":80")
    query = f"?{parts.query}" if parts.query else ""
    return f"{parts.scheme}://{authority}{parts.path or '/'}{query}"


def site_of(host: str) -> str:
    """The registrable domain of a name of the synthetic web, or the address itself."""
    name = host.partition(":")[0]
    return name if name.replace(".", "").isdigit() else ".".join(name.split(".")[-2:])


class _Walk:
    def __init__(self, web: SyntheticWeb) -> None:
        self.result = Reachable()
        self._web = web
        self._hosts_met: set[str] = set()

    def visit(self, url: str, hops: int) -> Iterator[tuple[str, int]]:
        """The URLs met on one, each with the redirects that led to it."""
        authority, _, _ = url.removeprefix("http://").partition("/")
        host = self._web.by_name.get(authority)
        if host is None:
            return
        yield from self._sitemaps(host, authority)
        target = url.removeprefix(f"http://{authority}")
        if not _rules(host).allows(target):
            self.result.disallowed.add(url)
            return
        node = host.nodes.get(target)
        role = node.role if node else Role.UNKNOWN
        fickle = role in (Role.FAILING, Role.RESET, Role.CUT)
        (self.result.attempted if fickle else self.result.complete).add(url)
        if node is not None and role is Role.REDIRECT:
            yield plain(urljoin(url, node.location)), hops + 1
        elif node is not None:
            yield from ((found, 0) for found in _links(self._web, node, url))

    def _sitemaps(self, host: SyntheticHost, authority: str) -> Iterator[tuple[str, int]]:
        if authority in self._hosts_met:
            return
        self._hosts_met.add(authority)
        if not host.sitemap or host.robots in ("absent", "closed"):
            return
        files = sitemap_targets(host)
        self.result.sitemaps.update(host.origin + target for target in files)
        for file, targets in files.items():
            if file != INDEX:
                yield from ((host.origin + target, 0) for target in targets)


def _links(web: SyntheticWeb, node: Node, url: str) -> Iterator[str]:
    links = web.links_of(node)
    base = urljoin(url, links.base) if links.base else url
    for href in links.hrefs:
        yield plain(urljoin(base, href.strip()))


def _rules(host: SyntheticHost) -> robots_rules.RobotsRules:
    if host.robots == "closed":
        return robots_rules.DISALLOW_ALL
    if host.robots == "absent":
        return robots_rules.ALLOW_ALL
    return robots_rules.parse(robots_body(host).decode())


def _scope(seeds: list[str], scope: Scope) -> Callable[[str], bool]:
    hosts = {urlsplit(seed).netloc for seed in seeds}
    sites = {site_of(host) for host in hosts}
    folders = tuple(seed[: seed.rindex("/") + 1] for seed in seeds)
    tests: dict[Scope, Callable[[str], bool]] = {
        "any": lambda url: True,
        "site": lambda url: site_of(urlsplit(url).netloc) in sites,
        "host": lambda url: urlsplit(url).netloc in hosts,
        "prefix": lambda url: url.startswith(folders),
    }
    return tests[scope]


def _aliases(web: SyntheticWeb, urls: Iterable[str]) -> list[list[str]]:
    groups: defaultdict[bytes, list[str]] = defaultdict(list)
    for url in sorted(urls):
        node = web.find(url)
        if node is not None and node.role in _BODIES_OF_THEIR_OWN:
            groups[page_body(web, node)].append(url)
    return [group for group in groups.values() if len(group) > 1]
