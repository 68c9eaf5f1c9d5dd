import re

import pytest
from nephila_telemetry import CATALOGUE, NO_METRICS, Metric, MetricKind
from nephila_telemetry import metrics as m
from nephila_telemetry.prometheus_recorder import PrometheusRecorder

FETCHES = Metric("nephila_fetches", MetricKind.COUNTER, "Fetches.", labels=("end", "reason"))
QUEUED = Metric("nephila_queued", MetricKind.GAUGE, "URLs queued.")
SECONDS = Metric("nephila_seconds", MetricKind.HISTOGRAM, "Time.", "seconds", (), (0.1, 1.0))


def test_every_metric_has_a_name_of_ours_its_unit_at_the_end_and_a_sentence() -> None:
    assert len({metric.name for metric in CATALOGUE}) == len(CATALOGUE)
    for metric in CATALOGUE:
        assert re.fullmatch(r"nephila(_[a-z]+)+", metric.name)
        assert metric.name.endswith(metric.unit)
        assert metric.help.endswith(".")
        assert bool(metric.buckets) == (metric.kind == MetricKind.HISTOGRAM)


def test_no_metric_has_a_label_of_unbounded_values() -> None:
    few = {"reason", "verdict", "likeness"}
    assert {label for metric in CATALOGUE for label in metric.labels} <= few


def test_what_is_recorded_is_exposed() -> None:
    recorder = PrometheusRecorder((FETCHES, QUEUED, SECONDS))
    recorder.add(FETCHES, 2, "final", "FETCHED")
    recorder.add(FETCHES, 1, "final", "FETCHED")
    recorder.set(QUEUED, 7)
    recorder.observe(SECONDS, 0.5)
    text = recorder.exposition().decode()
    assert 'nephila_fetches_total{end="final",reason="FETCHED"} 3.0' in text
    assert "nephila_queued 7.0" in text
    assert 'nephila_seconds_bucket{le="1.0"} 1.0' in text


def test_two_recorders_share_nothing() -> None:
    first, second = PrometheusRecorder(), PrometheusRecorder()
    first.add(m.LINKS_DISCOVERED, 5)
    assert "nephila_url_dedup_links_total 5.0" in first.exposition().decode()
    assert "nephila_url_dedup_links_total 0.0" in second.exposition().decode()


def test_a_metric_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="is a gauge"):
        PrometheusRecorder((QUEUED,)).add(QUEUED)


def test_a_metric_that_is_not_in_the_catalogue_is_refused() -> None:
    stray = Metric("nephila_stray", MetricKind.COUNTER, "Not listed.")
    with pytest.raises(KeyError):
        PrometheusRecorder().add(stray)


def test_nothing_is_kept_where_nobody_wants_metrics() -> None:
    NO_METRICS.add(m.LINKS_DISCOVERED, 5)
    NO_METRICS.set(QUEUED, 5)
    NO_METRICS.observe(SECONDS, 5)
