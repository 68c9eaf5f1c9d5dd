"""The seen set, built from url_state: at once at start, in chunks when it has become crowded."""

from collections.abc import AsyncIterator

from nephila_runtime import NOTHING, Handled
from nephila_storage.seen_set import SeenSet
from nephila_storage.url_state import UrlAdmissions


class Grow:
    """The tick. Adds `chunks` chunks of digests to the growing set each time."""

    def __init__(self, admissions: UrlAdmissions, seen: SeenSet, chunks: int) -> None:
        self._admissions = admissions
        self._seen = seen
        self._chunks = chunks
        self._source: AsyncIterator[list[bytes]] | None = None

    async def build(self) -> None:
        """Builds it anew from every row."""
        self._source = None
        await self._seen.start_over(await self._admissions.count())
        async for digests in self._admissions.digests():
            await self._seen.refill(digests)
        await self._seen.switch_over()

    async def run(self) -> Handled:
        if self._source is None:
            if not await self._seen.crowded():
                return NOTHING
            await self._seen.start_over(await self._admissions.count())
            self._source = self._admissions.digests()
        for _ in range(self._chunks):
            digests = await anext(self._source, None)
            if digests is None:
                self._source = None
                await self._seen.switch_over()
                break
            await self._seen.refill(digests)
        return NOTHING
