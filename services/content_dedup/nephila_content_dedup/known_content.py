"""What is known while a batch is judged: rows and fingerprints as they were read, and over them what the
batch itself has changed, so that duplicates within a batch see each other."""

from collections.abc import Iterable, Sequence

from nephila_storage.fingerprints import NEAR_BITS, Fingerprints
from nephila_storage.simhash_blocks import block, distance, rotations
from nephila_storage.url_state import ContentRecord, UrlContents
from nephila_urls import CanonicalUrl, site_key, url_digest

from nephila_content_dedup.verdict import PageContent, Twins


class KnownContent:
    """One batch's knowledge. Made by `read`; forgotten with the batch."""

    def __init__(self, contents: UrlContents, fingerprints: Fingerprints) -> None:
        self._contents = contents
        self._fingerprints = fingerprints
        self._rows: dict[bytes, ContentRecord] = {}
        self._holders: dict[bytes, CanonicalUrl] = {}
        self._near: dict[int, list[CanonicalUrl]] = {}
        # By (number of the block, its bits): pages of this batch.
        self._blocks: dict[tuple[int, int], list[ContentRecord]] = {}

    async def read_rows(self, keys: Sequence[tuple[str, bytes]]) -> None:
        """Reads the rows of these URLs: (site key, digest)."""
        self._rows.update(await self._contents.read(keys))

    async def read_urls(self, urls: Iterable[CanonicalUrl]) -> None:
        """Reads the rows of these URLs that were not read yet."""
        wanted = {url_digest(url): site_key(url) for url in urls}
        await self.read_rows(
            [(key, digest) for digest, key in wanted.items() if digest not in self._rows]
        )

    async def read_twins(self, pages: Sequence[PageContent]) -> None:
        """Reads which pages may have the same content, or content like it."""
        hashes = dict.fromkeys(page.content_hash for page in pages)
        simhashes = dict.fromkeys(page.simhash for page in pages if page.simhash)
        self._holders = await self._fingerprints.holders(list(hashes))
        self._near = await self._fingerprints.near(list(simhashes))
        urls = list(self._holders.values())
        for near in self._near.values():
            urls += near
        await self.read_urls(urls)

    def row(self, digest: bytes) -> ContentRecord | None:
        """What the URL held before the attempt that is being judged."""
        return self._rows.get(digest)

    def row_of(self, url: str) -> ContentRecord | None:
        return self._rows.get(url_digest(CanonicalUrl(url)))

    def twins(self, page: PageContent) -> Twins:
        return Twins(self._exact(page), self._resembling(page))

    def _exact(self, page: PageContent) -> ContentRecord | None:
        holder = self._holders.get(page.content_hash)
        if holder is None or holder == page.url:
            return None
        row = self.row_of(holder)
        # A fingerprint holds only while its URL still has that content, and stands for itself.
        return row if row and not row.alias_of and row.content_hash == page.content_hash else None

    def _resembling(self, page: PageContent) -> list[ContentRecord]:
        if not page.simhash:
            return []
        found: dict[str, tuple[int, int, ContentRecord]] = {}
        for candidate in self._candidates(page.simhash):
            row = self._rows.get(candidate.digest, candidate)
            apart = distance(row.simhash, page.simhash)
            stands = row.content_hash and not row.alias_of and row.simhash
            if stands and apart <= NEAR_BITS and row.url != page.url:
                found[row.url] = (apart, row.sequence, row)
        return [row for _, _, row in sorted(found.values(), key=lambda each: each[:2])]

    def _candidates(self, simhash: int) -> Iterable[ContentRecord]:
        for url in self._near.get(simhash, ()):
            row = self.row_of(url)
            if row:
                yield row
        if self._blocks:
            for index, rotation in enumerate(rotations(simhash)):
                yield from self._blocks.get((index, block(rotation)), ())

    def learn(self, row: ContentRecord) -> None:
        """Takes in what an attempt of this batch made of its URL."""
        self._rows[row.digest] = row
        if row.alias_of or not row.content_hash:
            return
        self._holders[row.content_hash] = row.url
        if row.simhash:
            for index, rotation in enumerate(rotations(row.simhash)):
                self._blocks.setdefault((index, block(rotation)), []).append(row)
