"""I3: one request at a time, the delay kept, Retry-After kept; by the server's clock."""

from collections.abc import Callable, Iterable

from nephila_testkit.checker.report import Finding
from nephila_testkit.web.reachable import site_of
from nephila_testkit.web.served import ServedRequest

# Clocks are read before and after work is done: this much is granted.
TOLERANCE_S = 0.010


def by_host(request: ServedRequest) -> str:
    return request.host


def by_site(request: ServedRequest) -> str:
    return site_of(request.host)


def overlaps(requests: Iterable[ServedRequest]) -> Finding:
    """Requests that came while another of their host was not answered yet."""
    finding = Finding("I3 at a time")
    for request, ended_s in _with_end_before(requests, by_host):
        if request.arrived_s < ended_s - TOLERANCE_S:
            finding.add(f"{_at(request)} while another was under way")
    return finding


def hurried(
    requests: Iterable[ServedRequest],
    delay_s: float,
    key: Callable[[ServedRequest], str] = by_host,
) -> Finding:
    """Requests sooner than the delay after the end of the one before."""
    finding = Finding(f"I3 delay {key.__name__.replace('_', ' ')}")
    for request, ended_s in _with_end_before(requests, key):
        gap_s = request.arrived_s - ended_s
        if gap_s < delay_s - TOLERANCE_S:
            finding.add(f"{_at(request)} after {gap_s * 1000:.1f} ms")
    return finding


def impatient(requests: Iterable[ServedRequest]) -> Finding:
    """Requests to a host that had asked, by Retry-After, to be left alone for longer."""
    finding = Finding("I3 retry-after")
    closed_until: dict[str, float] = {}
    for request in _in_order(requests):
        until_s = closed_until.get(request.host, 0.0)
        if request.arrived_s < until_s - TOLERANCE_S:
            finding.add(f"{_at(request)} {until_s - request.arrived_s:.3f} s too soon")
        if request.asked_wait_s and request.ended_s is not None:
            asked_until_s = request.ended_s + request.asked_wait_s
            closed_until[request.host] = max(until_s, asked_until_s)
    return finding


def _with_end_before(
    requests: Iterable[ServedRequest], key: Callable[[ServedRequest], str]
) -> Iterable[tuple[ServedRequest, float]]:
    """Each request but the first of its key, with the latest end of those before it."""
    latest_end: dict[str, float] = {}
    for request in _in_order(requests):
        name = key(request)
        ended_s = latest_end.get(name)
        if ended_s is not None:
            yield request, ended_s
        own_end_s = request.ended_s if request.ended_s is not None else float("inf")
        latest_end[name] = max(ended_s or 0.0, own_end_s)


def _in_order(requests: Iterable[ServedRequest]) -> list[ServedRequest]:
    return sorted(requests, key=lambda request: request.arrived_s)


def _at(request: ServedRequest) -> str:
    return f"{request.url} at {request.arrived_s:.3f} s"
