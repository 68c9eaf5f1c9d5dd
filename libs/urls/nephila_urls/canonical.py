"""One spelling for one URL: the WHATWG standard by ada, then the crawl's own rules.

What is already canonical, nearly everything that a pipeline sees, passes by one regular expression.
"""

import re
from functools import lru_cache
from typing import NewType

import ada_url

from nephila_urls.canonical_rules import DEFAULT_RULES, CanonicalRules
from nephila_urls.refusal import Refusal, UrlRefused

CanonicalUrl = NewType("CanonicalUrl", str)
"""A URL that `canonicalise` returned: ASCII, absolute, http or https, with a path, without a fragment."""

# Fetch Standard, "bad port": https://fetch.spec.whatwg.org/#port-blocking
# fmt: off
BAD_PORTS = frozenset(map(str, (
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101,
    102, 103, 104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427,
    465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990,
    993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667,
    6668, 6669, 6679, 6697, 10080,
)))
# fmt: on
# Longer texts reach no parser (CVE-2024-3651, CVE-2021-33503: time grew with the square of the length).
LONGEST_TEXT = 8192

# An escape in its canonical form: upper-case, and of no unreserved character (RFC 3986 6.2.2.2).
ESCAPE = "%(?:[0189A-F][0-9A-F]|2[0-9A-CF]|3[A-F]|40|5[B-E]|60|7[B-DF])"
# Bytes that ada leaves as they are. Not ";" in a path (session ids), not "'" in a query.
# Written as runs with escapes between: an alternative for each character costs three times as much.
_IN_PATH = r"[A-Za-z0-9/._~!$&'()*+,=:@|\[\]-]*"
_IN_QUERY = r"[A-Za-z0-9/._~!$&()*+,;=:@?|\[\]{}^`\\-]*"
PATH = f"/{_IN_PATH}(?:{ESCAPE}{_IN_PATH})*"
QUERY = rf"\?(?!$){_IN_QUERY}(?:{ESCAPE}{_IN_QUERY})*"
_CANONICAL = re.compile(rf"(https?://[a-z0-9.\-_:\[\]]+){PATH}({QUERY})?").fullmatch

_HREF = re.compile(r"(https?)://([^/?#]*)(/[^?#]*)(?:\?([^#]*))?").match
_SCHEME = re.compile(r"[\x00-\x20]*([A-Za-z][A-Za-z0-9+.\-]*):").match
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]").search
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
_BROKEN_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2})").search
_C0_AND_SPACE = "".join(map(chr, range(33)))
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")


def canonicalise(
    text: str, base: str | None = None, rules: CanonicalRules = DEFAULT_RULES
) -> CanonicalUrl:
    """The canonical URL that `text` means, read against `base` (an absolute URL) where it is relative.

    Idempotent. Raises UrlRefused with NOT_A_URL, SCHEME, USERINFO, PORT or TOO_LONG.
    """
    quick = _plain(text, rules)
    if quick is not None:
        return quick
    url = _settle(_href(text, base), rules)
    # A session id dropped from a path may leave a dot segment or another id behind; each round
    # shortens the URL.
    while not is_canonical(url, rules) and (again := _settle(_href(url, None), rules)) != url:
        url = again
    if len(url) > rules.max_length:
        raise UrlRefused(Refusal.TOO_LONG)
    return CanonicalUrl(url)


def is_canonical(text: str, rules: CanonicalRules = DEFAULT_RULES) -> bool:
    """True when `text` is certainly its own canonical URL. False is no proof of the contrary."""
    return _plain(text, rules) == text


def _plain(text: str, rules: CanonicalRules) -> CanonicalUrl | None:
    """The canonical URL of a text that the standard leaves as it is; None when that takes a parser."""
    match = _CANONICAL(text)
    # Dot segments, and ASP.NET's session ids.
    if match is None or "/." in text or "/(" in text or len(text) > rules.max_length:
        return None
    if not origin_is_canonical(match[1]):
        return None
    query = match[2]
    return CanonicalUrl(text) if query is None else with_query(text, query, rules)


def with_query(text: str, query: str, rules: CanonicalRules) -> CanonicalUrl:
    """`text`, which ends with `query` ("?…") and is plain before it, with the query by the rules."""
    path = text[: -len(query)]
    settled = rules.query(query[1:])
    return CanonicalUrl(f"{path}?{settled}" if settled else path)


@lru_cache(maxsize=65536)
def origin_is_canonical(origin: str) -> bool:
    """True for "scheme://host[:port]" as it stands in a canonical URL."""
    try:
        return _settle(_href(origin, None), DEFAULT_RULES) == origin + "/"
    except UrlRefused:
        return False


def _href(text: str, base: str | None) -> str:
    """What the standard's parser makes of it. Raises UrlRefused."""
    scheme = _SCHEME(text[:64])
    if scheme is not None and scheme.group(1).lower() not in ("http", "https"):
        raise UrlRefused(Refusal.SCHEME)
    if len(text) > LONGEST_TEXT:
        raise UrlRefused(Refusal.TOO_LONG)
    # The standard drops tab and newline anywhere and trims the rest; a control character that is
    # left would go out as an escape, which no honest link has.
    if _CONTROL(text) and _CONTROL(text.partition("#")[0].strip(_C0_AND_SPACE)):
        raise UrlRefused(Refusal.NOT_A_URL)
    try:
        return ada_url.normalize_url(text) if base is None else ada_url.join_url(base, text)
    except ValueError:
        raise UrlRefused(Refusal.NOT_A_URL) from None


def _settle(href: str, rules: CanonicalRules) -> str:
    """The standard's spelling by our rules. Raises UrlRefused."""
    match = _HREF(href)
    if match is None:
        raise UrlRefused(Refusal.SCHEME)
    scheme, authority, path, query = match.groups()
    if "@" in authority:
        raise UrlRefused(Refusal.USERINFO)
    host, colon, port = authority.rpartition(":")
    if colon and port in BAD_PORTS and (host[-1:] == "]" or ":" not in host):
        raise UrlRefused(Refusal.PORT)
    path = rules.path(_unescape(path))
    query = rules.query(_unescape(query)) if query else ""
    return f"{scheme}://{authority}{path}?{query}" if query else f"{scheme}://{authority}{path}"


def _unescape(text: str) -> str:
    """Escapes in upper case, and none for unreserved characters (RFC 3986 6.2.2)."""
    if "%" not in text:
        return text
    # Decoding beside a broken escape could complete it: "%2%65" would become "%2e", a dot.
    if _BROKEN_ESCAPE(text):
        return _ESCAPED.sub(lambda match: match.group().upper(), text)
    return _ESCAPED.sub(_spelled, text)


def _spelled(match: re.Match[str]) -> str:
    character = chr(int(match.group(1), 16))
    return character if character in _UNRESERVED else match.group().upper()
