"""What a page asks of robots: meta elements and X-Robots-Tag.

Both name directives, for all robots or for one by its product token; where several say different
things, the stricter one holds (Google's rule, as there is no standard).
"""

import re
from enum import IntFlag


class Directive(IntFlag):
    """The bits of `ParsedPage.directives`."""

    NOINDEX = 1
    NOFOLLOW = 2
    NOARCHIVE = 4
    NOSNIPPET = 8


_NAMES = {
    "noindex": Directive.NOINDEX,
    "nofollow": Directive.NOFOLLOW,
    "none": Directive.NOINDEX | Directive.NOFOLLOW,
    "noarchive": Directive.NOARCHIVE,
    "nocache": Directive.NOARCHIVE,
    "nosnippet": Directive.NOSNIPPET,
}
# Directives that have a value: what stands before their ":" is no robot's name.
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})
_ROBOT = re.compile(r"\s*([A-Za-z][A-Za-z0-9_.-]*)\s*:\s*(.*)", re.DOTALL).fullmatch


def directives_of(content: str) -> int:
    """The directives in the content of a robots meta element."""
    found = 0
    for word in re.split(r"[,\s]+", content.lower()):
        found |= _NAMES.get(word, 0)
    return found


def directives_of_header(value: str, product_token: str) -> int:
    """The directives of an X-Robots-Tag field for this robot.

    Several fields come joined by ", ", so a directive belongs to the robot named last before it.
    """
    found = 0
    for_us = True
    for item in value.split(","):
        robot = _ROBOT(item)
        if robot and robot[1].lower() not in _VALUED:
            for_us = robot[1].lower() == product_token.lower()
            item = robot[2]
        if for_us:
            found |= _NAMES.get(item.strip().lower(), 0)
    return found
