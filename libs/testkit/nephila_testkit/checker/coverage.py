"""I1, no loss, and I2, bounded repeats."""

from collections import Counter
from collections.abc import Iterable

from nephila_testkit.checker.report import Finding
from nephila_testkit.web.reachable import Reachable
from nephila_testkit.web.served import ServedRequest

_LATER = (429, 503)


def answered(request: ServedRequest) -> bool:
    """Whether the answer was whole and not one that asks to come back."""
    return request.whole and request.status not in _LATER


def lost(requests: Iterable[ServedRequest], expected: Reachable) -> Finding:
    """URLs that must have had a whole answer and had none, or must have been tried and were not."""
    tried: set[str] = set()
    had: set[str] = set()
    for request in requests:
        tried.add(request.url)
        if answered(request):
            had.add(request.url)
    missing = ((expected.complete | expected.sitemaps) - had) | (expected.attempted - tried)
    return Finding.of("I1 lost", sorted(missing))


def strayed(requests: Iterable[ServedRequest], expected: Reachable) -> Finding:
    """URLs that no rule let the crawler ask for; robots.txt and what it leads to are not meant."""
    known = expected.complete | expected.sitemaps | expected.attempted
    asked = {request.url for request in requests if request.role != "robots"}
    return Finding.of("I1 strayed", sorted(asked - known))


def repeats(
    requests: Iterable[ServedRequest], *, kills: int = 0, allowed: int = 0
) -> tuple[Finding, int]:
    """More whole answers than one a URL, and how many more there were in all.

    Without kills none is allowed. With kills, `allowed` is how many were in flight at all of them
    together, and no URL may have more than one a kill.
    """
    finals = Counter(
        request.url
        for request in requests
        if answered(request) and request.role != "robots" and request.status < 500
    )
    finding = Finding("I2 repeats")
    again = sum(count - 1 for count in finals.values())
    for url, count in sorted(finals.items()):
        if count > 1 + kills or (count > 1 and again > allowed):
            finding.add(f"{count} x {url}")
    return finding, again
