"""Wiring: fetch_completed, url_admitted and url_due in, leases out."""

import random
from typing import Any

from nephila_contracts import topics
from nephila_runtime import Clock, Service, Step, Tick
from nephila_storage.frontier_store import FrontierStore

from nephila_frontier.admit import Admit
from nephila_frontier.admit_due import AdmitDue
from nephila_frontier.budget import Budget
from nephila_frontier.dispatch import Dispatch
from nephila_frontier.downstream import Downstream, NoOverrides, Overrides
from nephila_frontier.expire import Expire
from nephila_frontier.frontier import Frontier
from nephila_frontier.origins import Origins
from nephila_frontier.release import Release
from nephila_frontier.restore import Restore
from nephila_frontier.settings import FrontierSettings
from nephila_frontier.status import FrontierView

_NO_LIMITS = Budget()
_NO_OVERRIDES = NoOverrides()


def build_frontier(
    settings: FrontierSettings,
    store: FrontierStore,
    downstream: Downstream,
    clock: Clock,
    rng: random.Random,
    *,
    budget: Budget = _NO_LIMITS,
    overrides: Overrides = _NO_OVERRIDES,
    rested: float = 0.0,
) -> tuple[Service, FrontierView]:
    """The frontier as a service, and what its host sees of it.

    `rested` is how many seconds have surely passed since its store was last written.
    """
    frontier = Frontier(settings, store, downstream, overrides, budget, clock, rng)
    origins = Origins()
    restore = Restore(frontier, origins, clock, rested)
    service = Service(
        name="frontier",
        steps=_steps(frontier, origins, clock),
        ticks=_ticks(frontier, clock),
        assigned=restore.assigned,
        revoked=restore.revoked,
    )
    return service, FrontierView(frontier, clock)


def _steps(frontier: Frontier, origins: Origins, clock: Clock) -> tuple[Step[Any], ...]:
    """Freed hosts before new URLs: else a flood of links would stop the fetchers."""
    return (
        Step(
            name="release",
            consumes=topics.FETCH_COMPLETED,
            produces=(topics.PAGE_PARSED,),
            handle=Release(frontier, clock).handle,
        ),
        Step(
            name="admit",
            consumes=topics.URL_ADMITTED,
            produces=(),
            handle=Admit(frontier, origins, clock).handle,
        ),
        Step(
            name="admit_due",
            consumes=topics.URL_DUE,
            produces=(),
            handle=AdmitDue(frontier, clock).handle,
        ),
    )


def _ticks(frontier: Frontier, clock: Clock) -> tuple[Tick, ...]:
    dispatch, expire = Dispatch(frontier, clock), Expire(frontier, clock)
    return (
        Tick(
            name="dispatch",
            every=frontier.settings.dispatch_every,
            produces=(topics.FETCH_REQUESTED,),
            run=dispatch.run,
            after=dispatch.after,
            eager=True,
            next_at=dispatch.next_at,
        ),
        Tick(
            name="expire",
            every=frontier.settings.expire_every,
            produces=(topics.FETCH_REQUESTED, topics.PAGE_PARSED),
            run=expire.run,
        ),
    )
