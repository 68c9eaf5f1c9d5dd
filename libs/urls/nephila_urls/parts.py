"""Parts of a canonical URL, cut out without parsing it again."""

from xxhash import xxh3_128_digest

from nephila_urls.canonical import CanonicalUrl


def scheme_of(url: CanonicalUrl) -> str:
    """ "http" or "https"."""
    return url[: url.index(":")]


def host_of(url: CanonicalUrl) -> str:
    """Name and port as in the URL; a default port is never there. IPv6 addresses keep their brackets."""
    return url[url.index("/") + 2 : url.index("/", 8)]


def path_of(url: CanonicalUrl) -> str:
    """Path and query: what goes into the request line."""
    return url[url.index("/", 8) :]


def url_digest(url: CanonicalUrl) -> bytes:
    """16 bytes: XXH3-128 of the URL, big-endian. The URL's key everywhere."""
    return xxh3_128_digest(url.encode())
