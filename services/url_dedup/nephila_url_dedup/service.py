"""Wiring: url_discovered in, url_admitted and url_hinted out."""

from nephila_contracts import topics
from nephila_runtime import NOTHING, Assignment, Clock, Handled, Service, Step, Tick, WholeBatches
from nephila_storage.refusals import RefusalLog
from nephila_storage.seen_set import SeenSet
from nephila_storage.url_state import UrlAdmissions
from nephila_telemetry import NO_METRICS, Recorder

from nephila_url_dedup.admit import Admit
from nephila_url_dedup.grow import Grow
from nephila_url_dedup.judgement import Judgement
from nephila_url_dedup.recent_verdicts import RecentVerdicts
from nephila_url_dedup.settings import UrlDedupSettings


def build_url_dedup(
    settings: UrlDedupSettings,
    judgement: Judgement,
    admissions: UrlAdmissions,
    seen: SeenSet,
    refusals: RefusalLog,
    clock: Clock,
    metrics: Recorder = NO_METRICS,
) -> Service:
    """The service. It is the only writer of `admissions`, `seen` and `refusals`."""
    admit = Admit(
        judgement, admissions, seen, refusals, RecentVerdicts(settings.recent), clock, metrics
    )
    grow = Grow(admissions, seen, settings.growth_chunks)

    async def assigned(_assignment: Assignment) -> Handled:
        admit.forget()
        await grow.build()
        return NOTHING

    return Service(
        name="url_dedup",
        steps=(
            Step(
                name="admit",
                consumes=topics.URL_DISCOVERED,
                produces=(topics.URL_ADMITTED, topics.URL_HINTED),
                handle=admit.handle,
                order=WholeBatches(settings.batch),
                after=admit.after,
            ),
        ),
        ticks=(Tick(name="grow", every=settings.growth_every, produces=(), run=grow.run),),
        assigned=assigned,
    )
