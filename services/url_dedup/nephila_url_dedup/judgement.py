"""Whether a discovered link may be let through at all, whatever is known of it. Pure: `explain` asks too."""

from collections.abc import Callable
from typing import cast

from nephila_contracts.v1.reason_pb2 import REASON_BLOCKLISTED, Reason
from nephila_contracts.v1.url_pb2 import URL_KIND_SITEMAP, DiscoveredLink
from nephila_urls import (
    DEFAULT_RULES,
    DEPENDS_ON_THE_WAY,
    AdmissionRules,
    CanonicalRules,
    CanonicalUrl,
    Refusal,
    UrlRefused,
    canonicalise,
    host_of,
)

REASONS: dict[Refusal, Reason] = {
    refusal: cast(Reason, Reason.Value(f"REASON_{refusal.name}")) for refusal in Refusal
}
# Refusals that hold for a page whichever way it is met, while the rules stand: the blocklist may change.
LASTING: frozenset[Reason] = frozenset(
    REASONS[refusal] for refusal in set(Refusal) - DEPENDS_ON_THE_WAY - {Refusal.BLOCKLISTED}
)


class Judgement:
    """Spelling, blocklist, then the crawl's rules. `blocked` answers for a host and its site key."""

    def __init__(
        self,
        rules: AdmissionRules,
        blocked: Callable[[str, str], bool],
        canonical_rules: CanonicalRules = DEFAULT_RULES,
    ) -> None:
        self._rules = rules
        self._blocked = blocked
        self._canonical_rules = canonical_rules

    def judge(self, link: DiscoveredLink, site_key: str) -> CanonicalUrl | Reason:
        """The canonical URL of what may be let through, or the reason why not."""
        try:
            url = canonicalise(link.url, None, self._canonical_rules)
        except UrlRefused as refused:
            return REASONS[refused.refusal]
        if self._blocked(host_of(url), site_key):
            return REASON_BLOCKLISTED
        if link.kind == URL_KIND_SITEMAP:
            refusal = self._rules.judge_sitemap(url, link.redirect_hops)
        else:
            refusal = self._rules.judge(url, link.depth, link.redirect_hops)
        return url if refusal is None else REASONS[refusal]
