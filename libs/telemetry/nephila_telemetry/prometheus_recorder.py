"""The recorder on prometheus_client, which no other module imports."""

from collections.abc import Sequence
from typing import TypeVar

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from nephila_telemetry.metrics import CATALOGUE, Metric, MetricKind

_F = TypeVar("_F", Counter, Gauge, Histogram)


class PrometheusRecorder:
    """Keeps the numbers of one process in a registry of its own, for scraping."""

    def __init__(self, metrics: Sequence[Metric] = CATALOGUE) -> None:
        self._registry = CollectorRegistry()
        self._counters: dict[tuple[Metric, tuple[str, ...]], Counter] = {}
        self._gauges: dict[tuple[Metric, tuple[str, ...]], Gauge] = {}
        self._histograms: dict[tuple[Metric, tuple[str, ...]], Histogram] = {}
        self._families = {metric: _family(metric, self._registry) for metric in metrics}

    def add(self, metric: Metric, amount: float = 1, *labels: str) -> None:
        child = self._counters.get((metric, labels))
        if child is None:
            child = self._counters[metric, labels] = self._child(metric, labels, Counter)
        child.inc(amount)

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        child = self._gauges.get((metric, labels))
        if child is None:
            child = self._gauges[metric, labels] = self._child(metric, labels, Gauge)
        child.set(value)

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        child = self._histograms.get((metric, labels))
        if child is None:
            child = self._histograms[metric, labels] = self._child(metric, labels, Histogram)
        child.observe(value)

    def exposition(self) -> bytes:
        """All numbers in Prometheus' text format."""
        return generate_latest(self._registry)

    def _child(self, metric: Metric, labels: tuple[str, ...], family_type: type[_F]) -> _F:
        """Raises TypeError for a metric of another kind, ValueError for a wrong number of labels."""
        family = self._families[metric]
        if not isinstance(family, family_type):
            raise TypeError(f"{metric.name} is a {metric.kind}")
        return family.labels(*labels) if metric.labels else family


def _family(metric: Metric, registry: CollectorRegistry) -> Counter | Gauge | Histogram:
    match metric.kind:
        case MetricKind.COUNTER:
            return Counter(metric.name, metric.help, metric.labels, registry=registry)
        case MetricKind.GAUGE:
            return Gauge(metric.name, metric.help, metric.labels, registry=registry)
        case MetricKind.HISTOGRAM:
            return Histogram(
                metric.name,
                metric.help,
                metric.labels,
                registry=registry,
                buckets=metric.buckets,
            )
