"""Wiring: page_judged in."""

from nephila_contracts import topics
from nephila_runtime import Service, Step, WholeBatches
from nephila_storage.url_state import UrlFetches
from nephila_telemetry import NO_METRICS, Recorder

from nephila_recrawl_scheduler.record import RecordVerdicts
from nephila_recrawl_scheduler.settings import RecrawlSchedulerSettings


def build_recrawl_scheduler(
    settings: RecrawlSchedulerSettings, fetches: UrlFetches, metrics: Recorder = NO_METRICS
) -> Service:
    """The service. It is the only writer of `fetches`."""
    record = RecordVerdicts(fetches, metrics)
    return Service(
        name="recrawl_scheduler",
        steps=(
            Step(
                name="record",
                consumes=topics.PAGE_JUDGED,
                produces=(),
                handle=record.handle,
                order=WholeBatches(settings.batch),
                after=record.after,
            ),
        ),
    )
