"""How a service is run, apart from what it does.

A service is written in the words of `service`: steps that take a batch and *return* what to publish
and what they learned. A host takes records, hands them in, publishes, waits until that is durable,
commits the offsets and only then runs the step's `after`. `embedded_host` does it in one process on
an embedded log on SQLite, where emits, store rows and offsets commit in one transaction; `kafka_host`
does it as a member of a consumer group, one service a process, publishing before it commits or, where
the service asks for it, in one transaction. Both pass one conformance suite, and share the runners of
`step_runner`; a service cannot tell which host runs it. What must not be done by two processes at once
asks a `Tenure` first.

Time comes in as a `Clock`; `virtual_time` runs the same code on simulated time. This package knows
nothing of URLs or pages.
"""

from nephila_runtime.clock import Clock, SystemClock
from nephila_runtime.liveness import Tenure, Unchallenged
from nephila_runtime.outcomes import Busy, Poison
from nephila_runtime.service import (
    NOTHING,
    Assignment,
    ByKey,
    Emit,
    Handled,
    Record,
    Service,
    Step,
    Tick,
    WholeBatches,
)

__all__ = [
    "NOTHING",
    "Assignment",
    "Busy",
    "ByKey",
    "Clock",
    "Emit",
    "Handled",
    "Poison",
    "Record",
    "Service",
    "Step",
    "SystemClock",
    "Tenure",
    "Tick",
    "Unchallenged",
    "WholeBatches",
]
