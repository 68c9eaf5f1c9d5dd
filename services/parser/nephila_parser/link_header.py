"""Links in a Link header field (RFC 8288), as far as a crawler follows them."""

import re
from collections.abc import Iterator
from typing import NamedTuple

# Fields of servers stay far below this.
_LONGEST = 16_384
_VALUE = re.compile(r"<([^<>]*)>((?:\s*;\s*[\w*-]+(?:\s*=\s*(?:\"[^\"]*\"|[^\s\",;]*))?)*)")
_PARAMETER = re.compile(r";\s*([\w*-]+)\s*=\s*(?:\"([^\"]*)\"|([^\s\",;]*))")


class HeaderLink(NamedTuple):
    """`parameters` by lower-case name, the first of a name."""

    href: str
    parameters: dict[str, str]


def links_of_header(value: str) -> Iterator[HeaderLink]:
    """The links of a Link field; several fields come joined by ", "."""
    for link in _VALUE.finditer(value[:_LONGEST]):
        parameters: dict[str, str] = {}
        for name, quoted, bare in _PARAMETER.findall(link[2]):
            parameters.setdefault(name.lower(), quoted or bare)
        yield HeaderLink(link[1].strip(), parameters)
