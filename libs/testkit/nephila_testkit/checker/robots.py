"""I4: robots.txt is asked for first, obeyed, and asked for again within a day."""

from collections.abc import Iterable
from dataclasses import dataclass

from nephila_testkit.checker.report import Finding
from nephila_testkit.web import robots_rules
from nephila_testkit.web.robots_rules import RobotsRules
from nephila_testkit.web.served import ServedRequest

# RFC 9309 2.4: not from a cache older than 24 hours.
_DAY_S = 24 * 3600.0


@dataclass(slots=True)
class _Known:
    """What a host's last robots.txt said."""

    rules: RobotsRules
    reachable: bool
    at_s: float


def disobeyed(requests: Iterable[ServedRequest]) -> Finding:
    """Requests that the host's robots.txt, as it was last served before them, does not allow."""
    finding = Finding("I4 robots")
    known: dict[str, _Known] = {}
    for request in sorted(requests, key=lambda request: request.arrived_s):
        if request.role == "robots":
            told = _told(request)
            if told is not None:
                known[request.host] = told
            continue
        fault = _fault(request, known.get(request.host))
        if fault:
            finding.add(f"{request.url} {fault}")
    return finding


def _fault(request: ServedRequest, known: _Known | None) -> str:
    if known is None:
        return "before robots.txt"
    if not known.reachable:
        return "while robots.txt could not be had"
    if request.arrived_s > known.at_s + _DAY_S:
        return "by a robots.txt older than a day"
    return "" if known.rules.allows(request.target) else "although it is disallowed"


def _told(request: ServedRequest) -> _Known | None:
    """None for a redirect: what it leads to decides."""
    if 300 <= request.status < 400:
        return None
    if request.status == 200 and request.whole:
        return _Known(robots_rules.parse(request.robots), True, request.arrived_s)
    if 400 <= request.status < 500 and request.status != 429:
        return _Known(robots_rules.ALLOW_ALL, True, request.arrived_s)
    return _Known(robots_rules.DISALLOW_ALL, False, request.arrived_s)
