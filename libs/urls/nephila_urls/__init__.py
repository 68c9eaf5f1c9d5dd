"""What a URL is to the crawl: one spelling, a site, a scope.

`canonicalise` turns any text into the one spelling that the crawl knows a URL by, or refuses it:
the WHATWG standard first (ada), then `CanonicalRules`, the crawl's own narrow policies. A
`CanonicalUrl` is ASCII, absolute, http or https, and goes unchanged into scope, robots.txt, the guard
against private addresses and the request line, so that no two parsers can disagree about it.
`PageBase` does the same for all links of a page at once.

`AdmissionRules` judges whether a URL belongs to the crawl: `Scope`, the operator's patterns and depth,
and `TrapRules` for what sites make without end. It is pure, so that `nephila explain` can ask again.

`site_key` is the registrable domain, by which everything is partitioned; `host_of` is what politeness
counts by; `url_digest` is the URL's 16-byte key.

This is the lowest layer: no I/O, no clock, no message.
"""

from nephila_urls.canonical import CanonicalUrl, canonicalise, is_canonical
from nephila_urls.canonical_rules import DEFAULT_RULES, CanonicalRules
from nephila_urls.page_base import PageBase
from nephila_urls.parts import host_of, path_of, scheme_of, url_digest
from nephila_urls.refusal import Refusal, UrlRefused
from nephila_urls.rules import DEPENDS_ON_THE_WAY, AdmissionRules
from nephila_urls.scope import Scope, ScopeKind
from nephila_urls.site_key import site_key, site_key_of_host
from nephila_urls.traps import TrapRules

__all__ = [
    "DEFAULT_RULES",
    "DEPENDS_ON_THE_WAY",
    "AdmissionRules",
    "CanonicalRules",
    "CanonicalUrl",
    "PageBase",
    "Refusal",
    "Scope",
    "ScopeKind",
    "TrapRules",
    "UrlRefused",
    "canonicalise",
    "host_of",
    "is_canonical",
    "path_of",
    "scheme_of",
    "site_key",
    "site_key_of_host",
    "url_digest",
]
