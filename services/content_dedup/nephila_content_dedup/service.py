"""Wiring: page_parsed in, page_judged and page_fetched out."""

from nephila_contracts import topics
from nephila_runtime import Clock, Service, Step, WholeBatches
from nephila_storage.fingerprints import Fingerprints
from nephila_storage.page_store import PageStore
from nephila_storage.url_state import UrlContents
from nephila_telemetry import NO_METRICS, Recorder

from nephila_content_dedup.archive import Archive
from nephila_content_dedup.events import Events
from nephila_content_dedup.judge import Judge
from nephila_content_dedup.settings import ContentDedupSettings


def build_content_dedup(
    settings: ContentDedupSettings,
    page_store: PageStore,
    fingerprints: Fingerprints,
    contents: UrlContents,
    clock: Clock,
    metrics: Recorder = NO_METRICS,
) -> Service:
    """The service. It is the only writer of `page_store`, `fingerprints` and `contents`."""
    archive = Archive(
        keep_near=settings.keep_near_duplicates, inline_text_bytes=settings.inline_text_bytes
    )
    events = Events(settings.inline_text_bytes)
    judge = Judge(page_store, fingerprints, contents, archive, events, clock, metrics)
    return Service(
        name="content_dedup",
        # A reader of page_fetched is told of nothing twice (design 4.1).
        transactional=True,
        steps=(
            Step(
                name="judge",
                consumes=topics.PAGE_PARSED,
                produces=(topics.PAGE_JUDGED, topics.PAGE_FETCHED),
                handle=judge.handle,
                order=WholeBatches(settings.batch),
                after=judge.after,
                on_dead=judge.on_dead,
            ),
        ),
    )
