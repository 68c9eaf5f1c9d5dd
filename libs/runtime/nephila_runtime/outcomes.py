"""How a step's handling can end, beside returning what it emits.

Anything else that a step raises is an outage or a bug: the host undoes what is not committed and ends
the run, after a few tries where the step writes nothing (`ByKey`); whoever runs the host decides
whether to build everything anew.
"""

from datetime import timedelta
from typing import Any


class Poison(Exception):
    """A message that can never be handled: it goes to the dead letters, and `on_dead` runs.

    A step that takes whole batches names the `record` at fault, and raises before it changes anything in
    memory, since the rest of the batch is then handed in again.
    """

    def __init__(self, reason: str, record: Any = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.record = record


class Busy(Exception):
    """Not now: hand the same batch in again after `retry_after`. Nothing was changed."""

    def __init__(self, retry_after: timedelta) -> None:
        super().__init__(f"busy for {retry_after}")
        self.retry_after = retry_after
