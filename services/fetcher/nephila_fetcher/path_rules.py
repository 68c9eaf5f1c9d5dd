"""Which paths robots.txt lets through: the longest pattern that matches wins, `allow` on a tie."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Glob:
    """A pattern with `*` or a closing `$`, cut at its stars."""

    length: int
    allow: bool
    segments: tuple[str, ...]
    anchored: bool

    def matches(self, path: str) -> bool:
        """Leftmost match of each segment in turn: linear in the path, unlike a regular expression."""
        first, *rest = self.segments
        if not path.startswith(first):
            return False
        at = len(first)
        if not rest:
            return not self.anchored or at == len(path)
        last = rest.pop()
        for segment in rest:
            found = path.find(segment, at)
            if found < 0:
                return False
            at = found + len(segment)
        if self.anchored:
            return path.endswith(last) and len(path) - len(last) >= at
        return path.find(last, at) >= 0


class PathRules:
    """Compiled `Allow` and `Disallow` patterns of one group.

    Patterns without wildcards are one dictionary look-up for each distinct length; only the others
    are tried one by one, longest first (RFC 9309 2.2.2: most octets).
    """

    __slots__ = ("_globs", "_lengths", "_literals")

    def __init__(self, rules: Iterable[tuple[str, bool]]) -> None:
        """`rules` are (pattern, allow), percent-encoded as Google's parser escapes them."""
        literals: dict[str, bool] = {}
        globs: list[_Glob] = []
        for pattern, allow in rules:
            if not pattern:
                continue  # An empty pattern matches with priority 0, which decides nothing.
            anchored = pattern.endswith("$")
            if anchored or "*" in pattern:
                body = pattern[:-1] if anchored else pattern
                globs.append(_Glob(len(pattern), allow, tuple(body.split("*")), anchored))
            else:
                literals[pattern] = allow or literals.get(pattern, False)
        globs.sort(key=lambda glob: (-glob.length, not glob.allow))
        self._literals = literals
        self._lengths = tuple(sorted({len(pattern) for pattern in literals}, reverse=True))
        self._globs = tuple(globs)

    def __len__(self) -> int:
        return len(self._literals) + len(self._globs)

    def allows(self, path: str) -> bool:
        """`path` is the request target: path and query, percent-encoded, starting with a slash."""
        best, verdict = self._longest_literal(path)
        for glob in self._globs:
            if glob.length < best:
                break
            if glob.length == best and (verdict or not glob.allow):
                continue
            if glob.matches(path):
                return glob.allow
        return verdict

    def _longest_literal(self, path: str) -> tuple[int, bool]:
        literals = self._literals
        within = len(path)
        for length in self._lengths:
            if length > within:
                continue
            found = literals.get(path[:length])
            if found is not None:
                return length, found
        return 0, True


ALLOW_ALL = PathRules(())
DISALLOW_ALL = PathRules((("/", False),))
