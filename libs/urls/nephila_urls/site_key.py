"""The site key: what all hosts of one registrant share, by which the crawl is partitioned."""

import re
from functools import lru_cache
from pathlib import Path

from publicsuffixlist import PSLFILE, PublicSuffixList, encode_idn

from nephila_urls.canonical import CanonicalUrl
from nephila_urls.parts import host_of

_PORT = re.compile(r":[0-9]+$")
# WHATWG "ends in a number": in a canonical URL only an IPv4 address does.
_IPV4 = re.compile(r"[0-9]+(?:\.[0-9]+){3}").fullmatch


def site_key(url: CanonicalUrl) -> str:
    """The site key of the URL's host."""
    return site_key_of_host(host_of(url))


@lru_cache(maxsize=65536)
def site_key_of_host(host: str) -> str:
    """The registrable domain of a canonical host, with or without port.

    By the public suffix list with its private section; a top-level domain that is not listed counts
    as a suffix. What has no registrable domain is its own key: an address, a public suffix, a name
    without a dot.
    """
    name = _PORT.sub("", host) if not host.endswith("]") else host
    if name.startswith("[") or _IPV4(name):
        return name
    return _suffixes().privatesuffix(name) or name.rstrip(".") or name


@lru_cache(maxsize=1)
def _suffixes() -> PublicSuffixList:
    """The list that comes with the library, in ASCII alone, as canonical hosts are.

    The library's own reading encodes every rule by IDNA: 113 ms instead of 20, in each process.
    """
    with Path(PSLFILE).open(encoding="utf-8") as file:
        rules = [line for line in file if not line.startswith(("//", "\n"))]
    return PublicSuffixList(
        [rule if rule.isascii() else encode_idn(rule.strip()) for rule in rules],
        accept_encoded_idn=False,
    )
