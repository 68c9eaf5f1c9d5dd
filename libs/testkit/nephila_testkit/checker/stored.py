"""I5, stored equals served, and I6, events and stored pages agree."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from nephila_testkit.checker.outputs import Event, Outputs
from nephila_testkit.checker.report import Finding
from nephila_testkit.web.served import ServedRequest

# One time in a WARC file, at its head, and about no page.
_NO_PAGE = ("robots", "sitemap")


def served_digests(requests: Iterable[ServedRequest]) -> dict[str, set[str]]:
    """URL → SHA-256 of every body that went out whole with 200."""
    served: defaultdict[str, set[str]] = defaultdict(set)
    for request in requests:
        if request.whole and request.status == 200:
            served[request.url].add(request.sha256)
    return dict(served)


def differing(outputs: Outputs, served: dict[str, set[str]]) -> Finding:
    """Records and events whose bytes are not those that the server sent."""
    finding = Finding.of("I5 stored", outputs.unreadable)
    held: defaultdict[str, set[str]] = defaultdict(set)
    for record in outputs.responses():
        held[record.url].add(record.sha256)
        whole = not record.truncated and record.status == 200
        if record.fault:
            finding.add(f"{record.url}: {record.fault}")
        elif whole and record.sha256 not in served.get(record.url, ()):
            finding.add(f"{record.url}: stored {record.sha256[:12]}, which was never served whole")
    for record in outputs.records:
        repeats_another = record.kind == "revisit" and "identical-payload" in record.profile
        if repeats_another and not held[record.refers_to] & served.get(record.url, set()):
            finding.add(f"{record.url}: a revisit of {record.refers_to}, which differs")
    for event in outputs.events:
        if event.content_hash and event.content_hash not in served.get(event.url, ()):
            finding.add(f"{event.url}: announced {event.content_hash[:12]}, which was never served")
    return finding


def unstored(requests: Iterable[ServedRequest], outputs: Outputs) -> Finding:
    """Pages served whole of which DIR has neither record nor, for a near-duplicate, an alias."""
    kept = {record.url for record in outputs.records if record.kind in ("response", "revisit")}
    described = {record.url for record in outputs.records if record.kind == "metadata"}
    aliases = {event.url for event in outputs.events if event.verdict == "alias"}
    return Finding.of("I5 unstored", sorted(_pages(requests) - kept - (described & aliases)))


def unannounced(requests: Iterable[ServedRequest], outputs: Outputs) -> Finding:
    """Pages served whole without an event."""
    announced = {event.url for event in outputs.events}
    return Finding.of("I6 unannounced", sorted(_pages(requests) - announced))


def announced_twice(outputs: Outputs) -> Finding:
    """Attempts with more than one event."""
    attempts = Counter((event.attempt_id, event.url) for event in outputs.events)
    twice = (f"{url} by attempt {key}" for (key, url), count in attempts.items() if count > 1)
    return Finding.of("I6 announced twice", sorted(twice))


def dangling(outputs: Outputs) -> Finding:
    """Events whose storage key leads to no record of their page."""
    at = {record.key: record.url for record in outputs.records}
    finding = Finding("I6 storage key")
    for event in outputs.events:
        if event.storage_key and at.get(_basename(event)) not in (event.url, event.duplicate_of):
            finding.add(f"{event.url}: nothing of it at {event.storage_key}")
    return finding


def _basename(event: Event) -> str:
    return event.storage_key.rpartition("/")[2]


def _pages(requests: Iterable[ServedRequest]) -> set[str]:
    return {
        request.url
        for request in requests
        if request.whole and request.status == 200 and request.role not in _NO_PAGE
    }
