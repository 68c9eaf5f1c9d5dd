"""What a running service says of itself: numbers and logs.

`metrics` is the catalogue: every metric of the product is described there once, with its unit, its
labels and what it means, so that dashboards and alarms can be checked against it. A service adds to a
metric through a `Recorder`, once a batch; `PrometheusRecorder` keeps the numbers for scraping, and
`NO_METRICS` forgets them.

`logs` writes JSON lines through structlog. Every line about a URL carries the URL and the attempt id
under the same two names; what would steer a terminal is escaped. Where nobody wants logs, `NO_LOGS`
costs its call and builds nothing.

This package decides nothing, knows no service and reads no clock: time comes in as a parameter.
"""

from nephila_telemetry.logs import NO_LOGS, Logger, json_logger
from nephila_telemetry.metrics import (
    CATALOGUE,
    NO_METRICS,
    Metric,
    MetricKind,
    PrometheusRecorder,
    Recorder,
)

__all__ = [
    "CATALOGUE",
    "NO_LOGS",
    "NO_METRICS",
    "Logger",
    "Metric",
    "MetricKind",
    "PrometheusRecorder",
    "Recorder",
    "json_logger",
]
