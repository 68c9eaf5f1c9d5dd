"""How far the frontier has taken URLs from each partition that they came from: the guard against copies."""

from nephila_contracts.v1.url_pb2 import UrlAdmitted
from nephila_storage.frontier_store import OriginMark


class Origins:
    """The highest origin taken, by (our partition, topic, its partition). A message without an origin is
    never a copy."""

    def __init__(self) -> None:
        self._marks: dict[tuple[int, str, int], tuple[int, int]] = {}

    def restore(self, marks: list[OriginMark]) -> None:
        for mark in marks:
            self._marks[mark[:3]] = mark[3:]

    def take(self, partition: int, url: UrlAdmitted) -> OriginMark | None:
        """The mark that this URL moves; None when it is a copy."""
        origin = url.origin
        mark = OriginMark(partition, origin.topic, origin.partition, origin.offset, origin.index)
        if not mark.topic:
            return mark
        key, place = mark[:3], mark[3:]
        taken = self._marks.get(key)
        if taken is not None and place <= taken:
            return None
        self._marks[key] = place
        return mark

    def forget(self, partitions: frozenset[int]) -> None:
        self._marks = {key: at for key, at in self._marks.items() if key[0] not in partitions}
