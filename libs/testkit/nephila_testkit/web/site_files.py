"""robots.txt and the sitemaps of a synthetic host."""

import gzip

from nephila_testkit.web.graph import SyntheticHost, SyntheticWeb

INDEX = "/sitemap.xml"
_PAGES = "/sitemap-pages.xml"
_MORE = "/sitemap-more.xml.gz"
_NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_RULES = """\
User-agent: otherbot
Disallow: /

# A comment, and a group for everybody.
User-agent: *
Disallow: /private/
Allow: /private/open
Disallow: /*.secret$
"""


def robots_body(site: SyntheticHost) -> bytes:
    """Rules, and the sitemap where the host has one."""
    sitemap = f"\nSitemap: {site.origin}{INDEX}\n" if site.sitemap else ""
    return (_RULES + sitemap).encode()


def sitemap_targets(site: SyntheticHost) -> dict[str, list[str]]:
    """What each sitemap file of the host names: other sitemaps, or pages."""
    half = len(site.listed) // 2
    known = [node.target for node in site.ordinary[: 1 + len(site.listed)]]
    return {
        INDEX: [_PAGES, _MORE],
        _PAGES: [*known, *(node.target for node in site.listed[:half])],
        _MORE: [node.target for node in site.listed[half:]],
    }


def sitemap_body(web: SyntheticWeb, site: SyntheticHost, target: str) -> bytes | None:
    """A sitemap file; None when `target` is none."""
    if not target.startswith("/sitemap"):
        return None
    targets = sitemap_targets(site).get(target)
    if targets is None:
        return None
    outer, inner = ("sitemapindex", "sitemap") if target == INDEX else ("urlset", "url")
    entries = "".join(
        f"<{inner}><loc>{site.origin}{loc}</loc><lastmod>2025-06-03</lastmod></{inner}>\n"
        for loc in targets
    )
    text = f'<?xml version="1.0" encoding="UTF-8"?>\n<{outer} {_NAMESPACE}>\n{entries}</{outer}>\n'
    return gzip.compress(text.encode(), 6, mtime=0) if target == _MORE else text.encode()
