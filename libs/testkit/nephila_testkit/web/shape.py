"""How a synthetic web is made: every knob of it, one frozen value."""

import json
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Literal, Self

_PER_NETWORK = 250
Addressing = Literal["name", "address"]


class Role(StrEnum):
    """What a URL of the synthetic web is for."""

    PAGE = "page"
    DUPLICATE = "duplicate"
    NEAR_DUPLICATE = "near_duplicate"
    CHANGING = "changing"
    SLOW = "slow"
    # 500 the first time, then a page.
    FAILING = "failing"
    # The connection is reset the first time, then a page.
    RESET = "reset"
    # The body breaks off half-way the first time, then a page.
    CUT = "cut"
    REDIRECT = "redirect"
    GONE = "gone"
    # Below a path that robots.txt disallows.
    PRIVATE = "private"
    # Linked from nowhere; only the sitemap names it.
    LISTED = "listed"
    ROBOTS = "robots"
    SITEMAP = "sitemap"
    # No such path.
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class WebShape:
    """The same shape is the same web, byte for byte, on every machine.

    Shares are of the pages of a host, in percent; what they leave over are ordinary pages.
    """

    seed: int = 1
    hosts: int = 20
    pages_per_host: int = 50
    hosts_per_site: int = 2
    links_per_page: int = 8
    words_per_page: int = 150
    # Links that lead to another host, in percent.
    foreign_links: int = 30
    addressing: Addressing = "name"
    # Hosts are at 127.network.a.b, whether named or not.
    network: int = 70
    port: int = 80

    duplicates: int = 3
    near_duplicates: int = 3
    changing: int = 2
    redirects: int = 4
    gone: int = 3
    private: int = 4
    listed: int = 3
    slow: int = 2
    failing: int = 2
    resets: int = 1
    cuts: int = 1

    # Of the hosts but the first, in percent.
    capricious_hosts: int = 10
    slow_hosts: int = 10
    gzip_hosts: int = 70
    sitemap_hosts: int = 60
    # robots.txt: absent; behind a redirect; 503 the first time; 503 always.
    robots_absent: int = 10
    robots_moved: int = 5
    robots_flaky: int = 0
    robots_closed: int = 0

    slow_page_s: float = 0.5
    slow_host_s: float = 0.1
    # What capricious hosts ask for by Retry-After.
    retry_after_s: int = 1
    # Some Retry-After fields are dates, negative, or words.
    strange_retry_after: bool = False

    def calm(self) -> Self:
        """The same web without anything that needs a second try."""
        return replace(self, failing=0, resets=0, cuts=0, capricious_hosts=0, robots_flaky=0)

    def address(self, host: int) -> str:
        """The loopback address of a host."""
        return f"127.{self.network}.{host // _PER_NETWORK}.{host % _PER_NETWORK + 1}"

    def name(self, host: int) -> str:
        """Its name, which may be its address."""
        if self.addressing == "address":
            return self.address(host)
        return f"h{host}.site{host // self.hosts_per_site}.test"

    def origin(self, host: int) -> str:
        """Scheme, name and port, as URLs of the host begin."""
        return f"http://{self.name(host)}" + ("" if self.port == 80 else f":{self.port}")

    def to_json(self) -> str:
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        return cls(**json.loads(text))
