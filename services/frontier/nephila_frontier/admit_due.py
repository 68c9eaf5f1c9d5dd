"""Step: known URLs whose time has come again into their queues."""

from collections.abc import Sequence

from nephila_contracts.v1.url_pb2 import UrlDue
from nephila_runtime import NOTHING, Clock, Handled, Record
from nephila_storage.frontier_store import DueKey, QueuedUrl

from nephila_frontier.admit import cut_or_poison
from nephila_frontier.back_queues import Host
from nephila_frontier.entry import pack_traits, pack_validators
from nephila_frontier.frontier import Frontier
from nephila_frontier.priority import class_of_due


class AdmitDue:
    """url_due → queues. A URL that waits for its revisit already, or is out, is dropped."""

    def __init__(self, frontier: Frontier, clock: Clock) -> None:
        self._frontier = frontier
        self._clock = clock

    async def handle(self, batch: Sequence[Record[UrlDue]]) -> Handled:
        parts = [cut_or_poison(record) for record in batch]
        frontier = self._frontier
        hosts = [
            frontier.meet(record.partition, url.host, record.message.site_key)
            for record, url in zip(batch, parts, strict=True)
        ]
        keys = [
            DueKey(record.partition, host.number, url.secure, url.path)
            for record, host, url in zip(batch, hosts, parts, strict=True)
        ]
        waiting = await frontier.store.due(keys)
        taken: set[DueKey] = set()
        for record, host, key, waits in zip(batch, hosts, keys, waiting, strict=True):
            if not waits and key not in taken:
                taken.add(key)
                frontier.changes.due.append(key)
                self._queue(record, host, key)
        await frontier.save(self._clock.now())
        return NOTHING

    def _queue(self, record: Record[UrlDue], host: Host, key: DueKey) -> None:
        message = record.message
        traits = pack_traits(key.secure, message.kind, 0, message.depth)
        validators = pack_validators(message.validators)
        entry = QueuedUrl(record.offset, key.path, traits, validators)
        self._frontier.add(host, class_of_due(message), entry)
