"""The testkit's own reading of robots.txt."""

import pytest
from nephila_testkit.web.robots_rules import parse

TEXT = """\ufeffUser-agent: otherbot
Disallow: /
User-Agent: some
user-agent: *  # all
Disallow: /private/
Allow: /private/open
Disallow: /*.secret$
Disallow: /a*b
Disallow:
"""


@pytest.mark.parametrize(
    ("target", "allowed"),
    [
        ("/", True),
        ("/private/x", False),
        ("/private/open.html", True),
        ("/x.secret", False),
        ("/x.secret?y", True),
        ("/axxb", False),
        ("/ax", True),
        ("/robots.txt", True),
    ],
)
def test_the_longest_match_decides(target: str, allowed: bool) -> None:
    assert parse(TEXT).allows(target) is allowed


def test_robots_txt_itself_is_always_allowed() -> None:
    assert parse("User-agent: *\nDisallow: /").allows("/robots.txt")


def test_allow_wins_when_both_are_as_long() -> None:
    assert parse("User-agent: *\nDisallow: /a\nAllow: /a").allows("/a")
