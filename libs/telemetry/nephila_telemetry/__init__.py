"""What a running service says of itself: numbers and logs.

`metrics` is the catalogue: every metric of the product is described there once, with its unit, its
labels and what it means, so that dashboards and alarms can be checked against it. A service adds to a
metric through a `Recorder`, once a batch; `prometheus_recorder` keeps the numbers for scraping, and
`NO_METRICS` forgets them.

`logs` is how a service speaks; `json_logs` writes it down as JSON lines. Every line about a URL
carries the URL and the attempt id under the same two names; what would steer a terminal is escaped.
Where nobody wants logs, `NO_LOGS` costs its call and builds nothing.

structlog and prometheus_client are imported by those two modules alone, and those two by whoever wires
a process: 0.2 s of start-up that `nephila crawl` need not spend.

This package decides nothing, knows no service and reads no clock: time comes in as a parameter.
"""

from nephila_telemetry.logs import NO_LOGS, Logger
from nephila_telemetry.metrics import (
    CATALOGUE,
    NO_METRICS,
    Metric,
    MetricKind,
    Recorder,
)

__all__ = [
    "CATALOGUE",
    "NO_LOGS",
    "NO_METRICS",
    "Logger",
    "Metric",
    "MetricKind",
    "Recorder",
]
