"""robots.txt read as RFC 9309 says, in the reading of Google's own parser.

Typing errors in keys, a missing colon, CR line ends, byte order marks, over-long lines and other
lines amid a group are taken as that parser takes them (github.com/google/robotstxt); all
its cases, and 31,700 answers of it to real files, are tests here. Two things go beyond it: UTF-16
is decoded, and `Crawl-delay` is read.
"""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from nephila_fetcher.path_rules import ALLOW_ALL, PathRules

# RFC 9309 2.5: at least 500 KiB must be parsed.
MAX_BYTES = 500 * 1024
# Google's parser: what stands beyond this on a line is ignored.
_MAX_LINE = 2083 * 8 - 1
_WHITE = " \t\n\v\f\r"
_UTF8_BOM = b"\xef\xbb\xbf"
_AGENT_TOKEN = re.compile(r"[a-zA-Z_-]*")
_ESCAPE_OR_HIGH = re.compile("%[0-9A-Fa-f]{2}|[\x80-\xff]")
_TWO_WORDS = re.compile(r"[^ \t]+([ \t]+)[^ \t]+")

_AGENT_KEYS = ("user-agent", "useragent", "user agent")
_DISALLOW_KEYS = ("disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw")
_SITEMAP_KEYS = ("sitemap", "site-map")


@dataclass(frozen=True, slots=True)
class RobotsRules:
    """What one robots.txt says to one crawler.

    `crawl_delay` is in seconds, None when absent or senseless; `sitemaps` are as written, in order.
    """

    paths: PathRules = ALLOW_ALL
    crawl_delay: float | None = None
    sitemaps: tuple[str, ...] = ()

    def allows(self, path: str) -> bool:
        """`path` is the request target; robots.txt itself is always allowed (RFC 9309 2.2.2)."""
        return path == "/robots.txt" or self.paths.allows(path)


def parse_robots(body: bytes, product_token: str) -> RobotsRules:
    """The rules for `product_token` (letters, `_` and `-`). Never fails: any bytes are some robots.txt.

    What lies beyond 500 KiB is not read, nor the line that this limit cuts.
    """
    reader = _Reader(product_token.lower())
    for key, value in _lines(_as_latin1(body)):
        reader.take(key, value)
    return reader.rules()


def escape_pattern(value: str) -> str:
    """A pattern with octets above 127 percent-encoded and its escapes in upper case.

    `value` holds one character an octet.
    """
    if value.isascii() and "%" not in value:
        return value
    return _ESCAPE_OR_HIGH.sub(
        lambda found: found[0].upper() if found[0][0] == "%" else f"%{ord(found[0]):02X}", value
    )


@dataclass(slots=True)
class _Reader:
    """Follows groups line by line. A group ends at the first user-agent line after a rule; other lines
    do not end it."""

    agent: str
    specific: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    general: list[tuple[str, bool]] = field(default_factory=list[tuple[str, bool]])
    specific_delay: float | None = None
    general_delay: float | None = None
    sitemaps: list[str] = field(default_factory=list[str])
    named_ever: bool = False
    in_named: bool = False
    in_general: bool = False
    group_closed: bool = False

    def take(self, key: str, value: str) -> None:
        if key.startswith(_AGENT_KEYS):
            self._agent_line(value)
        elif key.startswith("allow"):
            self._rule(value, allow=True)
        elif key.startswith(_DISALLOW_KEYS):
            self._rule(value, allow=False)
        elif key.startswith(_SITEMAP_KEYS):
            self.sitemaps.append(value)
        elif key.startswith("crawl-delay"):
            self._delay(value)

    def rules(self) -> RobotsRules:
        rules = self.specific if self.named_ever else self.general
        return RobotsRules(
            paths=PathRules(rules) if rules else ALLOW_ALL,
            crawl_delay=self.specific_delay if self.named_ever else self.general_delay,
            sitemaps=tuple(self.sitemaps),
        )

    def _agent_line(self, value: str) -> None:
        if self.group_closed:
            self.in_named = self.in_general = self.group_closed = False
        # "*" followed by white space and more is still everybody.
        if value.startswith("*") and (len(value) == 1 or value[1] in _WHITE):
            self.in_general = True
        elif _agent_token(value).lower() == self.agent:
            self.named_ever = self.in_named = True

    def _rule(self, value: str, *, allow: bool) -> None:
        if not (self.in_named or self.in_general):
            return
        self.group_closed = True
        rules = self.specific if self.in_named else self.general
        pattern = escape_pattern(value)
        rules.append((pattern, allow))
        directory, slash, name = pattern.rpartition("/")
        if allow and slash and name.startswith("index.htm"):
            rules.append((f"{directory}/$", True))

    def _delay(self, value: str) -> None:
        try:
            seconds = float(value)
        except ValueError:
            return
        if not math.isfinite(seconds) or seconds < 0:
            return
        if self.in_named:
            self.specific_delay = seconds
        elif self.in_general:
            self.general_delay = seconds


def _agent_token(value: str) -> str:
    found = _AGENT_TOKEN.match(value)
    return found[0] if found else ""


def _as_latin1(body: bytes) -> str:
    """The text with one character an octet, so that any bytes have one, without byte order mark."""
    cut = len(body) > MAX_BYTES
    body = body[:MAX_BYTES]
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        body = body.decode("utf-16", errors="replace").encode("utf-8", errors="replace")
    # Google's parser also skips the beginning of a mark that breaks off.
    mark = 0
    while mark < len(_UTF8_BOM) and body[mark : mark + 1] == _UTF8_BOM[mark : mark + 1]:
        mark += 1
    text = body[mark:].decode("latin-1").replace("\r", "\n")
    return text[: text.rfind("\n") + 1] if cut else text


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Keys in lower case, and values, of the lines that have both."""
    for raw in text.split("\n"):
        line = raw[:_MAX_LINE].partition("\0")[0].partition("#")[0].strip(_WHITE)
        key, colon, value = line.partition(":")
        if not colon:
            # Some forget the colon: two words stand for key and value.
            two = _TWO_WORDS.fullmatch(line)
            if two is None:
                continue
            key, value = line[: two.start(1)], line[two.end(1) :]
        key = key.strip(_WHITE).lower()
        if key:
            yield key, value.strip(_WHITE)
