"""How far from its seeds a crawl goes."""

from collections.abc import Iterable
from enum import StrEnum

from nephila_urls.canonical import CanonicalUrl
from nephila_urls.parts import host_of, path_of
from nephila_urls.site_key import site_key, site_key_of_host


class ScopeKind(StrEnum):
    """`prefix`: the host of a seed, below the seed's directory. `host`: exactly the host of a seed, so
    that www.a.org is not a.org. `site`: all hosts of a seed's registrable domain. `any`: everywhere."""

    PREFIX = "prefix"
    HOST = "host"
    SITE = "site"
    ANY = "any"


class Scope:
    """Which URLs belong to the crawl. http and https count as the same, ports do not.

    A seed's directory ends at the last "/" of its path: "https://a.org/docs/intro" and
    "https://a.org/docs/" both mean "/docs/", and "https://a.org/docs" means "/".
    """

    def __init__(self, kind: ScopeKind, seeds: Iterable[CanonicalUrl]) -> None:
        self.kind = kind
        directories: dict[str, set[str]] = {}
        for seed in seeds:
            path = path_of(seed).partition("?")[0]
            directories.setdefault(host_of(seed), set()).add(path[: path.rindex("/") + 1])
        self._directories = {host: tuple(sorted(paths)) for host, paths in directories.items()}
        self._site_keys = frozenset(map(site_key_of_host, directories))

    def allows(self, url: CanonicalUrl) -> bool:
        """True when the URL is in scope."""
        match self.kind:
            case ScopeKind.PREFIX:
                directories = self._directories.get(host_of(url))
                return directories is not None and path_of(url).startswith(directories)
            case ScopeKind.HOST:
                return host_of(url) in self._directories
            case ScopeKind.SITE:
                return site_key(url) in self._site_keys
            case ScopeKind.ANY:
                return True

    def allows_sitemap(self, url: CanonicalUrl) -> bool:
        """True also for any path of a seed's host: a sitemap is fetched for its links, not for itself."""
        return host_of(url) in self._directories or self.allows(url)
