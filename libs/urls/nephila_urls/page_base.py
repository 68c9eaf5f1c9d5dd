"""All links of one page, resolved at once.

Most links of a page are plain paths of its own host: those are put behind the origin without being
parsed. The rest goes to `canonicalise`.
"""

import codecs
import re
from collections.abc import Sequence
from functools import lru_cache
from urllib.parse import quote

from nephila_urls.canonical import PATH, QUERY, CanonicalUrl, canonicalise, with_query
from nephila_urls.canonical_rules import DEFAULT_RULES, CanonicalRules
from nephila_urls.refusal import UrlRefused

# "/a/b?c", and not "//host/".
_ABSOLUTE_PATH = re.compile(rf"(?!//){PATH}({QUERY})?").fullmatch
# "a/b?c": the first segment has no ":", which would make it a scheme.
_RELATIVE_PATH = re.compile(rf"[A-Za-z0-9_-][A-Za-z0-9._~-]*(?:{PATH})?({QUERY})?").fullmatch

# What is left of the bytes of an encoded character by the standard's query percent-encode set.
_QUERY_SAFE = "!$%&()*+,-./:;=?@[\\]^_`{|}~"
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")


class PageBase:
    """The URL against which a page's links are read: its own, or that of its base element.

    `charset` is the page's encoding, in which the standard has the query of its links encoded; one that
    Python does not know counts as UTF-8. Raises UrlRefused when `base_url` is nothing that links can be
    read against.
    """

    def __init__(
        self, base_url: str, rules: CanonicalRules = DEFAULT_RULES, charset: str = "utf-8"
    ) -> None:
        self.url = canonicalise(base_url, None, rules)
        self._rules = rules
        self._charset = _output_charset(charset)
        slash = self.url.index("/", 8)
        path = self.url[slash:].partition("?")[0]
        self._origin = self.url[:slash]
        self._directory = self._origin + path[: path.rindex("/") + 1]

    def resolve(self, href: str) -> CanonicalUrl:
        """The canonical URL of one link. Raises UrlRefused."""
        text = href.partition("#")[0] if "#" in href else href
        if not text:
            return self.url
        if text[0] == "/":
            match = _ABSOLUTE_PATH(text)
            url = self._origin + text
        elif text[:4] != "http":
            match = _RELATIVE_PATH(text)
            url = self._directory + text
        else:
            return self._parse(href)
        # The tests of `canonicalise`'s short cut, on the part that is not the page's own.
        if match is None or "/." in text or "/(" in text or len(url) > self._rules.max_length:
            return self._parse(href)
        query = match[1]
        return CanonicalUrl(url) if query is None else with_query(url, query, self._rules)

    def resolve_many(self, hrefs: Sequence[str]) -> list[CanonicalUrl | None]:
        """The canonical URL of each link, in order; None where it is refused. Repeated links cost once."""
        met: dict[str, CanonicalUrl | None] = {}
        for href in hrefs:
            if href not in met:
                try:
                    met[href] = self.resolve(href)
                except UrlRefused:
                    met[href] = None
        return [met[href] for href in hrefs]

    def _parse(self, href: str) -> CanonicalUrl:
        if self._charset is not None and not href.isascii():
            before, mark, query = href.partition("?")
            href = before + mark + _encoded(query, self._charset)
        return canonicalise(href, self.url, self._rules)


@lru_cache(maxsize=256)
def _output_charset(charset: str) -> str | None:
    """The codec for a query; None where that is UTF-8, also for UTF-16 (Encoding Standard, 4.3)."""
    try:
        # Fails for what is no encoding of text, such as base64.
        "".encode(charset)
    except LookupError:
        return None
    codec = codecs.lookup(charset).name
    return None if codec.startswith("utf") else codec


def _encoded(query: str, charset: str) -> str:
    """URL Standard, "percent-encode after encoding": what the charset lacks goes as `&#number;`."""
    return _NOT_ASCII.sub(lambda run: _escaped(run.group(), charset), query)


def _escaped(text: str, charset: str) -> str:
    escaped: list[str] = []
    for character in text:
        encoded = character.encode(charset, "ignore")
        safe, what = (_QUERY_SAFE, encoded) if encoded else ("", f"&#{ord(character)};".encode())
        escaped.append(quote(what, safe=safe))
    return "".join(escaped)
