"""The synthetic web as a value: its hosts, its pages, and what each page links to.

Ordinary pages of a host form a tree of three children a page below `/`, so all can be reached;
the tree of hosts has two children a host. Everything else (redirects, duplicates, pages that fail)
hangs on an ordinary page as a leaf: what it leads to can be reached otherwise too, so which URLs a
crawler must have asked for does not depend on what it makes of a failure.
"""

import posixpath
from dataclasses import dataclass, field
from itertools import pairwise
from random import Random

from nephila_testkit.web.shape import Role, WebShape

_TREE = 3
_CHAIN = 5


@dataclass(slots=True)
class Node:
    """One URL of a host."""

    role: Role
    host: int
    number: int
    # Path and query.
    target: str
    # Whose body a duplicate repeats.
    twin: "Node | None" = None
    # Where a redirect leads, as its Location field.
    location: str = ""


@dataclass(slots=True)
class SyntheticHost:
    """One host: its address, its temper and its URLs by target."""

    number: int
    name: str
    address: str
    origin: str
    capricious: bool
    slow: bool
    gzips: bool
    sitemap: bool
    # "plain", "absent", "moved", "flaky" or "closed".
    robots: str
    nodes: dict[str, Node] = field(default_factory=dict[str, Node])
    # The tree, in its order.
    ordinary: list[Node] = field(default_factory=list[Node])
    listed: list[Node] = field(default_factory=list[Node])
    # Targets that hang on an ordinary page, by its place in the tree.
    attached: dict[int, list[str]] = field(default_factory=dict[int, list[str]])


@dataclass(frozen=True, slots=True)
class Links:
    """What a page links to, as written."""

    hrefs: tuple[str, ...]
    # Of the page's base element; empty without one.
    base: str = ""


class SyntheticWeb:
    """All hosts of one shape. Building it is linear in its pages; bodies are made when asked for."""

    def __init__(self, shape: WebShape) -> None:
        self.shape = shape
        self.hosts = synthetic_hosts(shape)
        # By name as in the URL's authority, port included where it is not 80.
        self.by_name = {host.origin.removeprefix("http://"): host for host in self.hosts}
        for host in self.hosts:
            _place_pages(shape, host)
        for host in self.hosts:
            self._place_leaves(host)

    @property
    def seeds(self) -> tuple[str, ...]:
        """The one URL from which the whole web can be reached."""
        return (f"{self.hosts[0].origin}/",)

    def addresses(self) -> dict[str, str]:
        """Name → address, for a DNS server."""
        return {host.name: host.address for host in self.hosts}

    def find(self, url: str) -> Node | None:
        """The node of an absolute URL of this web."""
        authority, slash, rest = url.removeprefix("http://").partition("/")
        host = self.by_name.get(authority)
        return host.nodes.get(slash + rest) if host else None

    def links_of(self, node: Node) -> Links:
        """The links of a node's body, in the page's order; none for what has no page."""
        if node.role is Role.DUPLICATE or node.role is Role.NEAR_DUPLICATE:
            assert node.twin is not None
            return self.links_of(node.twin)
        if node.role is not Role.PAGE:
            return Links(("/",) if node.role not in (Role.REDIRECT, Role.GONE) else ())
        return self._page_links(node)

    def _page_links(self, node: Node) -> Links:
        host = self.hosts[node.host]
        place = node.number
        rng = Random((self.shape.seed << 42) ^ (node.host << 21) ^ place)
        base = "/base/" if place % 11 == 5 else ""
        at = base or node.target
        children = host.ordinary[_TREE * place + 1 : _TREE * place + 1 + _TREE]
        hrefs = [_written(rng, host, at, child.target) for child in children]
        hrefs += [_written(rng, host, at, target) for target in host.attached.get(place, ())]
        if place == 0:
            next_hosts = self.hosts[2 * node.host + 1 : 2 * node.host + 3]
            hrefs += [f"{other.origin}/" for other in next_hosts]
        for _ in range(self.shape.links_per_page):
            hrefs.append(self._any_link(rng, host, at))
        return Links(tuple(hrefs), base)

    def _any_link(self, rng: Random, host: SyntheticHost, at: str) -> str:
        if rng.randrange(100) < self.shape.foreign_links:
            other = rng.choice(self.hosts)
            return f"{other.origin}{rng.choice(other.ordinary).target}"
        return _written(rng, host, at, rng.choice(host.ordinary).target)

    def _place_leaves(self, host: SyntheticHost) -> None:
        rng = Random((self.shape.seed << 43) ^ host.number)
        for node in list(host.nodes.values()):
            if node.role in (Role.PAGE, Role.LISTED):
                continue
            if node.role in (Role.DUPLICATE, Role.NEAR_DUPLICATE):
                source = host if rng.random() < 0.6 else rng.choice(self.hosts)
                node.twin = rng.choice(source.ordinary)
            elif node.role is Role.REDIRECT:
                self._lay_chain(rng, host, node)
            parent = rng.randrange(len(host.ordinary))
            host.attached.setdefault(parent, []).append(node.target)

    def _lay_chain(self, rng: Random, host: SyntheticHost, head: Node) -> None:
        """At most five redirects in a row, across hosts at the end; one in six is a loop."""
        steps = [head]
        for step in range(1, rng.randint(1, _CHAIN)):
            target = f"/hop{head.number}-{step}"
            steps.append(Node(Role.REDIRECT, host.number, head.number, target))
            host.nodes[target] = steps[-1]
        for node, following in pairwise(steps):
            node.location = following.target
        if rng.randrange(6) == 0:
            steps[-1].location = head.target
        else:
            other = host if rng.random() < 0.5 else rng.choice(self.hosts)
            steps[-1].location = f"{other.origin}{rng.choice(other.ordinary).target}"


def synthetic_hosts(shape: WebShape) -> list[SyntheticHost]:
    """The hosts of a shape, without their pages."""
    return [_host(shape, number) for number in range(shape.hosts)]


def _host(shape: WebShape, number: int) -> SyntheticHost:
    address = shape.address(number)
    name = shape.name(number)
    rng = Random((shape.seed << 44) ^ number)

    def chance(share: int) -> bool:
        return rng.randrange(100) < share and number > 0

    return SyntheticHost(
        number=number,
        name=name,
        address=address,
        origin=shape.origin(number),
        capricious=chance(shape.capricious_hosts),
        slow=chance(shape.slow_hosts),
        gzips=chance(shape.gzip_hosts),
        sitemap=chance(shape.sitemap_hosts) or number == 0,
        robots=_robots_kind(shape, rng, number),
    )


def _robots_kind(shape: WebShape, rng: Random, number: int) -> str:
    kinds = ("absent", "moved", "flaky", "closed")
    shares = (shape.robots_absent, shape.robots_moved, shape.robots_flaky, shape.robots_closed)
    if number == 0:
        return "plain"
    return rng.choices((*kinds, "plain"), weights=(*shares, 100 - sum(shares)))[0]


def _place_pages(shape: WebShape, host: SyntheticHost) -> None:
    """Every page of the host gets a role and a target; ordinary ones join the tree."""
    shares = {
        Role.DUPLICATE: shape.duplicates,
        Role.NEAR_DUPLICATE: shape.near_duplicates,
        Role.CHANGING: shape.changing,
        Role.REDIRECT: shape.redirects,
        Role.GONE: shape.gone,
        Role.PRIVATE: shape.private,
        Role.LISTED: shape.listed,
        Role.SLOW: shape.slow,
        Role.FAILING: shape.failing,
        Role.RESET: shape.resets,
        Role.CUT: shape.cuts,
    }
    rng = Random((shape.seed << 45) ^ host.number)
    roles = rng.choices(
        (Role.PAGE, *shares),
        weights=(100 - sum(shares.values()), *shares.values()),
        k=shape.pages_per_host - 1,
    )
    for number, role in enumerate((Role.PAGE, *roles)):
        place = len(host.ordinary) if role is Role.PAGE else number
        node = Node(role, host.number, place, _target(role, place))
        host.nodes[node.target] = node
        if role is Role.PAGE:
            host.ordinary.append(node)
        elif role is Role.LISTED:
            host.listed.append(node)


def _target(role: Role, number: int) -> str:
    if role is Role.PRIVATE:
        return f"/private/{'open' if number % 4 == 0 else 'k'}{number}.html"
    if role is not Role.PAGE:
        return f"/{role.replace('_', '-')}/{number}.html"
    if number == 0:
        return "/"
    forms = ("/p{}/", "/p{}.html", "/dir{1}/p{0}.html", "/dir{1}/sub/p{0}", "/list?page={}")
    return forms[number % 5].format(number, number % 7)


def _written(rng: Random, host: SyntheticHost, at: str, target: str) -> str:
    """One of the ways in which a page at `at` may write a link to `target` of its own host."""
    form = rng.randrange(8)
    if form == 0:
        return f"{host.origin}{target}"
    if form == 1:
        return host.origin.removeprefix("http:") + target
    if form == 2:
        return f"{target}#part-{rng.randrange(9)}"
    if form == 3:
        return f" {target}\n"
    if form == 4:
        return f"HTTP://{host.origin.removeprefix('http://').upper()}{target}"
    if form == 5:
        return f"/elsewhere/..{target}"
    return _relative(at, target) if form == 6 else target


def _relative(at: str, target: str) -> str:
    folder = at.partition("?")[0].rpartition("/")[0] + "/"
    path, mark, query = target.partition("?")
    relative = posixpath.relpath(path, folder)
    return relative + ("/" if path.endswith("/") and relative != "." else "") + mark + query
