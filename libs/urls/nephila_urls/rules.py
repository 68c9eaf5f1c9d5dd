"""Whether a URL belongs to a crawl: one pure judgement, for url_dedup and for `nephila explain`."""

import re
from dataclasses import dataclass

from nephila_urls.canonical import CanonicalUrl
from nephila_urls.parts import path_of
from nephila_urls.refusal import Refusal
from nephila_urls.scope import Scope
from nephila_urls.traps import TrapRules


@dataclass(frozen=True)
class AdmissionRules:
    """What the operator asked for, and the traps.

    `include` and `exclude` are searched in the whole URL: one of `include` must be found where there
    are any, none of `exclude` may be. `max_depth` None is without limit. `max_redirect_hops` is of one
    chain: 5, as RFC 9309 2.3.1.2 has it for robots.txt.
    """

    scope: Scope
    traps: TrapRules
    include: tuple[re.Pattern[str], ...] = ()
    exclude: tuple[re.Pattern[str], ...] = ()
    max_depth: int | None = None
    max_redirect_hops: int = 5
    # Redirects and sitemap indexes on the way to a sitemap: honest ones nest once.
    max_sitemap_hops: int = 10

    def judge(self, url: CanonicalUrl, depth: int, redirect_hops: int) -> Refusal | None:
        """Why the URL is refused, or None. A seed, which has depth 0, need not match `include`."""
        if not self.scope.allows(url):
            return Refusal.OUT_OF_SCOPE
        if self._is_excluded(url):
            return Refusal.EXCLUDED
        if redirect_hops > self.max_redirect_hops:
            return Refusal.TOO_MANY_REDIRECTS
        if self.include and depth > 0 and not any(pattern.search(url) for pattern in self.include):
            return Refusal.NOT_INCLUDED
        if self.max_depth is not None and depth > self.max_depth:
            return Refusal.TOO_DEEP
        return self.traps.judge(url)

    def judge_sitemap(self, url: CanonicalUrl, redirect_hops: int) -> Refusal | None:
        """As `judge` for a sitemap, which is fetched for its links: on the host of a seed neither the
        prefix counts nor `include`, and depth counts nowhere. The indexes above it count as hops."""
        if not self.scope.allows_sitemap(url):
            return Refusal.OUT_OF_SCOPE
        if self._is_excluded(url):
            return Refusal.EXCLUDED
        if redirect_hops > self.max_sitemap_hops:
            return Refusal.TOO_DEEP
        return self.traps.judge_path(path_of(url).partition("?")[0])

    def _is_excluded(self, url: CanonicalUrl) -> bool:
        return any(pattern.search(url) for pattern in self.exclude)


# Refusals that another way to the same URL could lift.
DEPENDS_ON_THE_WAY = frozenset({Refusal.TOO_DEEP, Refusal.TOO_MANY_REDIRECTS, Refusal.NOT_INCLUDED})
