"""The catalogue of metrics, and the port through which services add to them.

A name is nephila_<service>_<what>_<unit>; prometheus_client adds `_total` to counters. Labels have few
values: no host, no URL.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class MetricKind(StrEnum):
    """How its numbers add up."""

    # Only grows; `Recorder.add`.
    COUNTER = "counter"
    # Goes up and down; `Recorder.set`.
    GAUGE = "gauge"
    # A distribution; `Recorder.observe`.
    HISTOGRAM = "histogram"


# eq=False: a metric is itself, so that looking one up hashes no strings.
@dataclass(frozen=True, slots=True, eq=False)
class Metric:
    """One metric. `unit` is a Prometheus base unit, or empty for a plain count; `buckets` are the upper
    bounds of a histogram, in that unit."""

    name: str
    kind: MetricKind
    help: str
    unit: str = ""
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


class Recorder(Protocol):
    """Where a service's numbers go. `labels` are the values of the metric's labels, in their order."""

    def add(self, metric: Metric, amount: float = 1, *labels: str) -> None: ...

    def set(self, metric: Metric, value: float, *labels: str) -> None: ...

    def observe(self, metric: Metric, value: float, *labels: str) -> None: ...


# From one millisecond to the longest fetch.
_SECONDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)
# A message carries 900 KB at most, a page 10 MB.
_BYTES = (1e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7)

_COUNTER, _GAUGE, _HISTOGRAM = MetricKind.COUNTER, MetricKind.GAUGE, MetricKind.HISTOGRAM

# Any service, by its host.
RECORDS_HANDLED = Metric(
    "nephila_step_records", _COUNTER, "Records that a step handled.", labels=("service", "step")
)
BATCH_SECONDS = Metric(
    "nephila_step_batch_seconds",
    _HISTOGRAM,
    "Time that a step took for a batch, without its commit.",
    "seconds",
    ("service", "step"),
    _SECONDS,
)
COMMIT_SECONDS = Metric(
    "nephila_host_commit_seconds",
    _HISTOGRAM,
    "Time from handing a batch's effects in until they were durable.",
    "seconds",
    (),
    _SECONDS,
)
LAG_RECORDS = Metric(
    "nephila_topic_lag_records",
    _GAUGE,
    "Records of a topic that its consumer has not committed.",
    labels=("topic", "service"),
)
DEAD_LETTERS = Metric(
    "nephila_dead_letters", _COUNTER, "Records that could not be handled.", labels=("topic",)
)

# url_dedup
LINKS_DISCOVERED = Metric("nephila_url_dedup_links", _COUNTER, "Links read from url_discovered.")
LINKS_DECIDED = Metric(
    "nephila_url_dedup_decisions",
    _COUNTER,
    "Links by what was decided: ADMITTED, KNOWN, or the reason of a refusal.",
    labels=("reason",),
)
EXACT_READS = Metric(
    "nephila_url_dedup_exact_reads",
    _COUNTER,
    "Reads of url_state because seen set and LRU could not tell. At most 0.1 a link.",
)

# frontier
URLS_QUEUED = Metric("nephila_frontier_queued_urls", _GAUGE, "URLs queued.")
HOSTS_QUEUED = Metric("nephila_frontier_queued_hosts", _GAUGE, "Hosts with a URL queued.")
LEASES_OPEN = Metric("nephila_frontier_leases", _GAUGE, "URLs handed out and not back.")
LEASES_EXPIRED = Metric("nephila_frontier_leases_expired", _COUNTER, "Leases that ran out.")
URLS_LOST = Metric("nephila_frontier_lost_urls", _COUNTER, "URLs whose third lease ran out.")
VALVE_CLOSED = Metric(
    "nephila_frontier_valve_closed", _GAUGE, "1 while no lease is given.", labels=("cause",)
)

# fetcher
FETCHES = Metric(
    "nephila_fetcher_fetches",
    _COUNTER,
    "Fetches by their end (final, deferred) and reason.",
    labels=("end", "reason"),
)
FETCH_SECONDS = Metric(
    "nephila_fetcher_fetch_seconds",
    _HISTOGRAM,
    "From a request's first byte to its answer's last.",
    "seconds",
    (),
    _SECONDS,
)
BODY_BYTES = Metric(
    "nephila_fetcher_body_bytes",
    _HISTOGRAM,
    "Bytes of body received for a page.",
    "bytes",
    (),
    _BYTES,
)
DNS_LOOKUPS = Metric(
    "nephila_fetcher_dns_lookups",
    _COUNTER,
    "Names asked for, by the answer: cached, found, none, failed.",
    labels=("answer",),
)
ROBOTS_FETCHES = Metric(
    "nephila_fetcher_robots_fetches",
    _COUNTER,
    "robots.txt fetched, by what came: rules, none, unreachable.",
    labels=("answer",),
)
ADDRESSES_FORBIDDEN = Metric(
    "nephila_fetcher_forbidden_addresses", _COUNTER, "Connections refused to non-public addresses."
)

# parser
PARSE_SECONDS = Metric(
    "nephila_parser_parse_seconds",
    _HISTOGRAM,
    "Time that a page took in its parser process.",
    "seconds",
    (),
    _SECONDS,
)
PARSER_DEATHS = Metric(
    "nephila_parser_deaths", _COUNTER, "Parser processes lost to a page.", labels=("cause",)
)
LINKS_FOUND = Metric("nephila_parser_links", _COUNTER, "Links found in pages.")

# content_dedup
PAGES_JUDGED = Metric(
    "nephila_content_dedup_judged", _COUNTER, "Final attempts by verdict.", labels=("verdict",)
)
DUPLICATES = Metric(
    "nephila_content_dedup_duplicates",
    _COUNTER,
    "Pages equal (exact) or nearly equal (near) to another one.",
    labels=("likeness",),
)
STORED_BYTES = Metric(
    "nephila_content_dedup_stored_bytes", _COUNTER, "Bytes of WARC written, compressed.", "bytes"
)

# recrawl_scheduler
VERDICTS_RECORDED = Metric(
    "nephila_recrawl_scheduler_verdicts", _COUNTER, "Verdicts written to url_state."
)

CATALOGUE: tuple[Metric, ...] = tuple(
    value for value in dict(globals()).values() if isinstance(value, Metric)
)


class _NoMetrics:
    """A recorder that forgets: the cost of a call is the call."""

    def add(self, metric: Metric, amount: float = 1, *labels: str) -> None:
        return None

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        return None

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        return None


NO_METRICS: Recorder = _NoMetrics()
