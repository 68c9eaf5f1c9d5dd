"""The catalogue of metrics, and the port through which services add to them.

A metric joins it together with the code that feeds it. A name is nephila_<service>_<what>_<unit>;
prometheus_client adds `_total` to counters. Labels have few values: no host, no URL.
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


_COUNTER = MetricKind.COUNTER

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
