"""Hosts and sites of which nothing is let through."""

from collections.abc import Iterable


class Blocklist:
    """Names of hosts and site keys. `replace` puts another list in its place at once.

    url_dedup asks here when it admits; the fetcher asks its own copy again just before each request.
    """

    def __init__(self, targets: Iterable[str] = ()) -> None:
        self._targets = frozenset(targets)

    def covers(self, host: str, site_key: str) -> bool:
        """True when the host (with or without its port) or its site is on the list."""
        targets = self._targets
        if not targets:
            return False
        return site_key in targets or host in targets or host.rpartition(":")[0] in targets

    def replace(self, targets: Iterable[str]) -> None:
        self._targets = frozenset(targets)
