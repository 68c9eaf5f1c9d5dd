"""The sort-friendly form of a URL that CDXJ indexes are keyed by.

It gives the keys that pywb looks up (host reversed, `www` and a closing slash dropped, lower case, query
sorted, session ids removed), for URLs that are canonical already.
"""

import re
from urllib.parse import unquote_to_bytes

from nephila_urls import CanonicalUrl

_WWW = re.compile(r"www[0-9]*\.")
_SLASHES = re.compile(r"/{2,}")
_PORT = re.compile(r":[0-9]+$")
_PATH_SESSION = re.compile(r"/\((?:[0-9a-z]{24}|(?:[a-z]\([0-9a-z]{24}\))+)\)(?=/[^?]+\.aspx)")
_QUERY_SESSION = re.compile(
    r"(?:(?:jsessionid|phpsessid|sid)=[0-9a-z]{32}"
    r"|aspsessionid[a-z]{8}=[a-z]{24}"
    r"|cfid=[^&]+&cftoken=[^&]+)(?:&|$)"
)
# Control characters, blank, what is not ASCII, "#" and "%" stay escaped.
_ESCAPED = {code: f"%{code:02x}" for code in [*range(0x21), 0x23, 0x25, *range(0x7F, 0x100)]}


def surt(url: CanonicalUrl) -> str:
    """The key of a canonical URL, such as `com,example)/path?a=1&b=2`."""
    start = url.index("/") + 2
    end = url.index("/", start)
    path, mark, query = url[end:].partition("?")
    path = _unescaped(path).lower()
    if "//" in path:
        path = _SLASHES.sub("/", path)
    if "(" in path:
        path = _PATH_SESSION.sub("", path)
    if len(path) > 1 and path.endswith("/"):
        path = path[:-1]
    key = f"{_reversed_host(url[start:end])}){path}"
    query = _sorted_query(query) if mark else ""
    return f"{key}?{query}" if query else key


def _reversed_host(host: str) -> str:
    if host.startswith("["):
        return host
    port = _PORT.search(host)
    name = host[: port.start()] if port else host
    www = _WWW.match(name)
    if www:
        name = name[www.end() :]
    return ",".join(reversed(name.split("."))) + (port[0] if port else "")


def _unescaped(text: str) -> str:
    """Unescaped until nothing changes, then escaped where it must be: one spelling for all."""
    if "%" not in text:
        return text
    plain = text.encode()
    while (again := unquote_to_bytes(plain)) != plain:
        plain = again
    return plain.decode("latin-1").translate(_ESCAPED)


def _sorted_query(query: str) -> str:
    query = _unescaped(query).lower()
    if "id=" in query or "aspsessionid" in query:
        query = _QUERY_SESSION.sub("", query)
    if "&" not in query:
        return query
    return "&".join(sorted(query.split("&"), key=lambda pair: pair.split("=", 1)))
