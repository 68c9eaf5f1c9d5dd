"""A Content-Type field, read as the MIME Sniffing Standard reads it (section 4.4)."""

import re
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

_HTTP_SPACE = "\t\n\r "
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+").fullmatch
_QUOTABLE = re.compile(r"[\t\x20-\x7e\x80-\xff]*").fullmatch
_ESCAPE = re.compile(r'["\\]')


class MimeType(NamedTuple):
    """`essence` such as "text/html", lower-case, with the parameters by lower-case name."""

    essence: str
    parameters: Mapping[str, str]

    def __str__(self) -> str:
        return self.essence + "".join(
            f";{name}={_serialised(value)}" for name, value in self.parameters.items()
        )

    @property
    def charset(self) -> str:
        return self.parameters.get("charset", "")


# Servers send few distinct values.
@lru_cache(maxsize=1024)
def parse_mime_type(text: str) -> MimeType | None:
    """The MIME type that a field's value means; None when it means none."""
    head, _, rest = text.strip(_HTTP_SPACE).partition(";")
    kind, slash, subtype = head.partition("/")
    subtype = subtype.rstrip(_HTTP_SPACE)
    if not slash or not _TOKEN(kind) or not _TOKEN(subtype):
        return None
    parameters: dict[str, str] = {}
    while rest:
        name, value, rest = _next_parameter(rest.lstrip(_HTTP_SPACE))
        if name not in parameters and value is not None and _TOKEN(name) and _QUOTABLE(value):
            parameters[name] = value
    return MimeType(f"{kind}/{subtype}".lower(), MappingProxyType(parameters))


def _next_parameter(text: str) -> tuple[str, str | None, str]:
    """Name, value (None when there is none) and what follows the next ";"."""
    end = next((at for at, letter in enumerate(text) if letter in ";="), len(text))
    name = text[:end].lower()
    if text[end : end + 1] != "=":
        return name, None, text[end + 1 :]
    text = text[end + 1 :]
    if text.startswith('"'):
        value, rest = _quoted(text)
        return name, value, rest.partition(";")[2]
    value, _, rest = text.partition(";")
    return name, value.rstrip(_HTTP_SPACE) or None, rest


def _quoted(text: str) -> tuple[str, str]:
    """A quoted string's value, and what follows it: Fetch, "collect an HTTP quoted string"."""
    value: list[str] = []
    at = 1
    while at < len(text) and text[at] != '"':
        if text[at] == "\\" and at + 1 < len(text):
            at += 1
        value.append(text[at])
        at += 1
    return "".join(value), text[at + 1 :]


def _serialised(value: str) -> str:
    return value if _TOKEN(value) else '"' + _ESCAPE.sub(r"\\\g<0>", value) + '"'
