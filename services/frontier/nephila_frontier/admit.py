"""Step: new URLs into their queues."""

from collections.abc import Sequence

from nephila_contracts.v1.url_pb2 import UrlAdmitted, UrlDue
from nephila_runtime import NOTHING, Clock, Handled, Poison, Record
from nephila_storage.frontier_store import OriginMark, QueuedUrl

from nephila_frontier.entry import UrlParts, cut, pack_traits
from nephila_frontier.frontier import Frontier
from nephila_frontier.origins import Origins
from nephila_frontier.priority import class_of_new


class Admit:
    """url_admitted → queues. What is not above the highest origin taken already is a copy."""

    def __init__(self, frontier: Frontier, origins: Origins, clock: Clock) -> None:
        self._frontier = frontier
        self._origins = origins
        self._clock = clock

    async def handle(self, batch: Sequence[Record[UrlAdmitted]]) -> Handled:
        parts = [cut_or_poison(record) for record in batch]
        now, wall_ms = self._clock.now(), self._clock.wall_ms()
        moved: dict[tuple[int, str, int], OriginMark] = {}
        for record, url in zip(batch, parts, strict=True):
            mark = self._origins.take(record.partition, record.message)
            if mark is None:
                continue
            moved[mark[:3]] = mark
            self._queue(record, url, wall_ms)
        self._frontier.changes.origins.extend(mark for mark in moved.values() if mark.topic)
        await self._frontier.save(now)
        return NOTHING

    def _queue(self, record: Record[UrlAdmitted], url: UrlParts, wall_ms: int) -> None:
        message = record.message
        host = self._frontier.meet(record.partition, url.host, message.site_key)
        traits = pack_traits(url.secure, message.kind, message.redirect_hops, message.depth)
        entry = QueuedUrl(record.offset, url.path, traits, None)
        self._frontier.add(host, class_of_new(message, wall_ms), entry)


def cut_or_poison(record: Record[UrlAdmitted] | Record[UrlDue]) -> UrlParts:
    """The URL of a message, cut up. Raises Poison when it is no canonical URL."""
    url = cut(record.message.url)
    if url is None:
        raise Poison("no canonical URL", record)
    return url
