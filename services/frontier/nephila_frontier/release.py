"""Step: outcomes free their hosts."""

from collections.abc import Sequence

from nephila_contracts import topics
from nephila_contracts.v1.fetch_pb2 import FetchCompleted
from nephila_contracts.v1.page_pb2 import PageParsed
from nephila_contracts.v1.reason_pb2 import REASON_TRIES_SPENT, Reason
from nephila_runtime import Clock, Emit, Handled, Record

from nephila_frontier import outcome
from nephila_frontier.frontier import Frontier
from nephila_frontier.leases import Lease


class Release:
    """fetch_completed → the host's next turn. A final outcome lets the URL go; a deferred one leaves it at
    the head of its queue, until it was put off too often: then its verdict is told from here."""

    def __init__(self, frontier: Frontier, clock: Clock) -> None:
        self._frontier = frontier
        self._clock = clock

    async def handle(self, batch: Sequence[Record[FetchCompleted]]) -> Handled:
        frontier, now = self._frontier, self._clock.now()
        emits: list[Emit[PageParsed]] = []
        pages = body_bytes = 0
        for record in batch:
            completed = record.message
            lease = frontier.leases.find(completed.attempt.attempt_id)
            if lease is None:
                frontier.finish_late(completed, now)
                continue
            pages += outcome.is_page(completed)
            body_bytes += completed.body_bytes
            if frontier.finish(lease, completed, now):
                emits.append(given_up(lease, REASON_TRIES_SPENT))
        frontier.changes.spent = frontier.account.pay(now, pages=pages, body_bytes=body_bytes)
        await frontier.save(now)
        return Handled(emits)


def given_up(lease: Lease, reason: Reason) -> Emit[PageParsed]:
    """The verdict of a URL that never came to an end elsewhere."""
    message = PageParsed(attempt=lease.as_attempt(), reason=reason)
    return Emit(topics.PAGE_PARSED, lease.host.site_key, message)
