"""What goes into a parser process and what comes out of it. Array-like on the pipe: 0.02 ms a page."""

import msgspec
from nephila_urls import DEFAULT_RULES, CanonicalRules

MEGABYTE = 1_000_000


class ParseLimits(msgspec.Struct, array_like=True, frozen=True):
    """What one page may cost, and how pages are read. Given to a process once, when it starts."""

    # Decoded bytes of a page; the rest is cut.
    decoded_bytes: int = 10 * MEGABYTE
    # sitemaps.org: a sitemap has at most 50 MB uncompressed and 50,000 URLs.
    sitemap_bytes: int = 50 * MEGABYTE
    sitemap_urls: int = 50_000
    # Decoded to received bytes at most, once a decoded body has passed `bomb_bytes`.
    bomb_ratio: int = 1_000
    bomb_bytes: int = MEGABYTE
    # Distinct links kept of one page.
    links: int = 10_000
    anchor_chars: int = 200
    title_chars: int = 500
    description_chars: int = 1_000
    # Visible text kept of one page.
    text_chars: int = 1_000_000
    # Beyond these a page is simplified or cut before a tree is built of it.
    tags: int = 300_000
    nesting: int = 10_000
    # Images, scripts and style sheets are links too.
    resources: bool = False
    # Links with rel=nofollow are discovered too.
    follow_nofollow: bool = False
    # The product token that `name:` forms in X-Robots-Tag and meta elements are compared with.
    product_token: str = "nephila"
    # How the crawl spells URLs: the same everywhere in it.
    spelling: CanonicalRules = DEFAULT_RULES
    # Of a process: seconds of CPU a page, bytes of address space.
    cpu_seconds: int = 10
    memory_bytes: int = 1_500 * MEGABYTE


class ParseJob(msgspec.Struct, array_like=True, frozen=True):
    """One answer to parse."""

    # Canonical, as fetched.
    url: str
    # A UrlKind: what the URL was expected to hold.
    kind: int
    # A Coding: how `body` is packed.
    coding: int
    # Fields as served; several of one name joined by ", ".
    content_type: str
    x_robots_tag: str
    link: str
    body: bytes
    # The fetcher put `coding` on: what it unpacks to came over the wire, so no ratio makes it a bomb.
    packed_here: bool = False


class Links(msgspec.Struct, array_like=True, gc=False):
    """The links of one page: distinct, in its order, as parallel lists."""

    # Canonical.
    urls: list[str] = msgspec.field(default_factory=list)
    # Sixteen bytes of `url_digest` for each of `urls`, one after the other.
    digests: bytes = b""
    # Distinct site keys, and for each of `urls` which of them is its own.
    site_keys: list[str] = msgspec.field(default_factory=list)
    site_of: list[int] = msgspec.field(default_factory=list)
    # Empty lists where every item would be empty.
    anchors: list[str] = msgspec.field(default_factory=list)
    rels: list[str] = msgspec.field(default_factory=list)
    # A UrlKind each.
    kinds: list[int] = msgspec.field(default_factory=list)
    # Hints of sitemaps and feeds; 0 is none.
    lastmods_unix_ms: list[int] = msgspec.field(default_factory=list)
    priorities: list[float] = msgspec.field(default_factory=list)
    # Indexes into `urls` of what the page asks not to follow.
    unfollowed: list[int] = msgspec.field(default_factory=list)


class ParsedPage(msgspec.Struct, array_like=True, gc=False):
    """What was found in one answer. The fields are those of PageParsed, where each is explained."""

    # A Reason: FETCHED when it was parsed.
    reason: int
    content_hash: bytes = b""
    simhash: int = 0
    mime_type: str = ""
    charset: str = ""
    title: str = ""
    description: str = ""
    language: str = ""
    canonical_url: str = ""
    # Bits of `Directive`.
    directives: int = 0
    text_zstd: bytes = b""
    body_cut: bool = False
    body_bytes: int = 0
    # A DiscoverySource: what kind of document the links stand in.
    source: int = 0
    links: Links = msgspec.field(default_factory=Links)
    # What went wrong inside the parser, in one line, for its log; empty when nothing did.
    fault: str = ""
