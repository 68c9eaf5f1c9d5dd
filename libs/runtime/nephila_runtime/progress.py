"""How far one partition has been read: a low watermark, with what is finished beyond it."""

from collections.abc import Iterable

from nephila_runtime.commit_metadata import MOST_FINISHED, encode


class Progress:
    """Offsets come in rising order, but not without gaps: markers of transactions, aborted and compacted
    records take some that nobody is ever handed. Such a gap counts as finished."""

    __slots__ = ("_finished", "changed", "position", "watermark")

    def __init__(self, watermark: int, finished: Iterable[int] = ()) -> None:
        self.watermark = watermark
        """All below it is finished."""
        self.position = watermark
        """The next offset to take."""
        self.changed = False
        """Whether something was finished since the last commit."""
        self._finished = set(finished)

    def has_room(self, offset: int) -> bool:
        """Whether a record may be taken: one too far beyond a slow one waits for it."""
        # The watermark itself is never among those finished beyond it.
        return offset - self.watermark <= MOST_FINISHED or self.position == self.watermark

    def take(self, offset: int) -> bool:
        """A record is handed out. False when it was finished before a restart, so that it is not."""
        if offset > self.position:
            self._pass_gap(offset)
        self.position = offset + 1
        if offset not in self._finished:
            return True
        self._close()
        return False

    def _pass_gap(self, offset: int) -> None:
        self.changed = True
        if self.watermark == self.position:
            self._finished = {o for o in self._finished if o >= offset}
            self.watermark = offset
        else:
            self._finished.update(range(self.position, offset))

    def finish(self, offset: int) -> None:
        self.changed = True
        if offset == self.watermark:
            self.watermark = offset + 1
        else:
            self._finished.add(offset)
        if self._finished:
            self._close()

    def _close(self) -> None:
        finished = self._finished
        watermark = self.watermark
        while watermark in finished:
            finished.remove(watermark)
            watermark += 1
        self.changed |= watermark != self.watermark
        self.watermark = watermark

    def under_way(self) -> int:
        """Records handed out and not finished."""
        beyond = sum(1 for offset in self._finished if offset < self.position)
        return max(self.position - self.watermark - beyond, 0)

    def metadata(self, *, released: bool) -> str:
        return encode(self.watermark, self._finished, released=released)
