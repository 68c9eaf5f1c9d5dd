"""The fetcher: from a lease to an answer, without harm to anybody.

A lease (fetch_requested) waits as it is told, then goes through these, in this order: is its host
blocklisted or paused; where does its name lead, and may one connect there (`address_guard`); what does
robots.txt say (`ask_robots`, `robots`), asked for once an origin and day; is it the host's turn
(`host_turns`: one request at a time, the delay from the end of one to the next); the request itself
(`polite_get`, `http_transport`); what the answer means (`outcome`).

Each lease ends in one fetch_completed, final or deferred, which frees its host. A page goes to the
parser packed as it came (page_downloaded); any other final end goes straight to its verdict
(page_parsed). Redirects are not followed: their targets go through url_dedup like any other link, as
do the sitemaps that a robots.txt names.

The fetcher owns no store. Its caches (names, robots.txt, connections) are bounded and may be lost. It
never decodes a body but robots.txt, never follows a redirect of a page, keeps no cookies, and connects
to no address that was not judged.
"""

from httpx import AsyncBaseTransport as Transport

from nephila_fetcher.address_guard import AddressGuard
from nephila_fetcher.aiodns_resolver import AiodnsResolver
from nephila_fetcher.dns_resolver import DnsFailed, NoSuchHost, Resolved, Resolver
from nephila_fetcher.fetch import Permission
from nephila_fetcher.http_transport import HttpTransport, tls_context
from nephila_fetcher.service import build_fetcher
from nephila_fetcher.settings import FetcherSettings

__all__ = [
    "AddressGuard",
    "AiodnsResolver",
    "DnsFailed",
    "FetcherSettings",
    "HttpTransport",
    "NoSuchHost",
    "Permission",
    "Resolved",
    "Resolver",
    "Transport",
    "build_fetcher",
    "tls_context",
]
