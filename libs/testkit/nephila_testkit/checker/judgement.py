"""Applies every law for which there is evidence."""

from dataclasses import dataclass

from nephila_testkit.checker import coverage, politeness, robots, stored
from nephila_testkit.checker.outputs import Outputs
from nephila_testkit.checker.report import Finding, Report
from nephila_testkit.web.reachable import Reachable
from nephila_testkit.web.served import ServerLog


@dataclass(frozen=True, slots=True)
class Terms:
    """What was asked of the crawler, and what was done to it."""

    # Between the end of an answer and the next request, by host and by site.
    delay_s: float = 0.0
    kills: int = 0
    # Whole answers beyond one a URL that are granted in all: what was in flight at the kills.
    repeats_allowed: int = 0
    most_connections: int = 10_000


def judge(
    log: ServerLog,
    terms: Terms,
    expected: Reachable | None = None,
    outputs: Outputs | None = None,
) -> Report:
    """`expected` and `outputs` are left out while a crawl is not at its end: I3, I4 and I7 hold
    always, the others only then.
    """
    requests = log.requests
    counts = {"requests": len(requests), "connections": log.opened, "most_open": log.most_open}
    findings = [
        politeness.overlaps(requests),
        politeness.hurried(requests, terms.delay_s),
        politeness.impatient(requests),
        robots.disobeyed(requests),
        _crowded(log, terms),
    ]
    if terms.delay_s:
        findings.append(politeness.hurried(requests, terms.delay_s, politeness.by_site))
    if expected is not None:
        again, counts["repeats"] = coverage.repeats(
            requests, kills=terms.kills, allowed=terms.repeats_allowed
        )
        lost, strayed = coverage.lost(requests, expected), coverage.strayed(requests, expected)
        findings += [lost, strayed, again]
        counts["expected"] = len(expected.complete)
    if outputs is not None:
        findings += _of_outputs(log, outputs)
        counts.update({f"warc_{kind}": count for kind, count in outputs.kinds().items()})
        counts["events"] = len(outputs.events)
    return Report(findings, counts)


def _of_outputs(log: ServerLog, outputs: Outputs) -> list[Finding]:
    return [
        stored.differing(outputs, stored.served_digests(log.requests)),
        stored.unstored(log.requests, outputs),
        stored.unannounced(log.requests, outputs),
        stored.announced_twice(outputs),
        stored.dangling(outputs),
    ]


def _crowded(log: ServerLog, terms: Terms) -> Finding:
    finding = Finding("I7 connections")
    if log.most_open > terms.most_connections:
        finding.add(f"{log.most_open} connections were open at once")
    return finding
