"""A second reading of RFC 9309, apart from the product's, for the synthetic web and its checker.

It knows `*` and `$` in paths, longest match wins, and Allow before Disallow when both are as long.
It reads only the group of all robots: the synthetic web names the product's robot nowhere else.
"""

import re
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True)
class RobotsRules:
    """What one robots.txt says to every robot."""

    # (allow, path pattern), in the file's order.
    rules: tuple[tuple[bool, str], ...]

    @cached_property
    def _compiled(self) -> list[tuple[int, bool, re.Pattern[str]]]:
        ranked = [(len(path), allow, _compile(path)) for allow, path in self.rules if path]
        return sorted(ranked, key=lambda rule: (-rule[0], not rule[1]))

    def allows(self, target: str) -> bool:
        """Whether a path with its query may be asked for; robots.txt itself always may."""
        if target.partition("?")[0] == "/robots.txt":
            return True
        for _, allow, pattern in self._compiled:
            if pattern.match(target):
                return allow
        return True


ALLOW_ALL = RobotsRules(())
DISALLOW_ALL = RobotsRules(((False, "/"),))


def parse(text: str) -> RobotsRules:
    """The rules of the group `User-agent: *`; several such groups are one."""
    rules: list[tuple[bool, str]] = []
    agents: list[str] = []
    in_agents = False
    for line in text.removeprefix("\ufeff").splitlines():
        field, _, value = line.partition("#")[0].partition(":")
        field, value = field.strip().lower(), value.strip()
        if field == "user-agent":
            agents = [*agents, value] if in_agents else [value]
            in_agents = True
        elif field in ("allow", "disallow"):
            in_agents = False
            if "*" in agents:
                rules.append((field == "allow", value))
    return RobotsRules(tuple(rules))


def _compile(path: str) -> re.Pattern[str]:
    anchored = path.endswith("$")
    parts = path.removesuffix("$").split("*")
    return re.compile(".*".join(map(re.escape, parts)) + ("$" if anchored else ""), re.DOTALL)
