"""What is to be crawled, and how far: the command line and DIR's memory in one frozen value."""

import hashlib
import json
import re
from dataclasses import dataclass
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

from nephila_urls import ScopeKind


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlPlan:
    """A crawl as it was asked for. None is no limit, or the service's own default.

    Budgets count over DIR's life, not over a run.
    """

    # Canonical, distinct, in the order given.
    seeds: tuple[str, ...]
    # DIR.
    into: Path
    scope: ScopeKind = ScopeKind.HOST
    # Links followed from a seed at most; 0 fetches the seeds alone.
    depth: int | None = None
    page_budget: int | None = None
    # Bytes of body received.
    byte_budget: int | None = None
    time_budget: timedelta | None = None
    # Of host, site and IP alike; switches adaptation off.
    delay: timedelta | None = None
    # A URL must contain a match of one of these, where there are any …
    include: tuple[re.Pattern[str], ...] = ()
    # … and of none of these.
    exclude: tuple[re.Pattern[str], ...] = ()
    # URL or mail address told in the user agent; empty for the project's own page.
    contact: str = ""
    # Networks that may be fetched from although they are not public.
    allow_networks: tuple[IPv4Network | IPv6Network, ...] = ()
    # Name server (address, port) asked in place of the machine's own.
    dns: tuple[str, int] | None = None
    # Parser processes; 0 parses in the main process; None is the parser's own number.
    workers: int | None = None

    def fingerprint(self) -> str:
        """Of what must not change between runs on one DIR: it decided which links were let in.

        Hexadecimal; equal for equal scope, depth, include and exclude.
        """
        rules = [
            self.scope.value,
            self.depth,
            [pattern.pattern for pattern in self.include],
            [pattern.pattern for pattern in self.exclude],
        ]
        return hashlib.sha256(json.dumps(rules).encode()).hexdigest()[:16]
