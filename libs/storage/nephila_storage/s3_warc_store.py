"""Pages as WARC objects in S3, a CDXJ object beside each."""

import re

from nephila_runtime.clock import Clock
from xxhash import xxh3_64_hexdigest

from nephila_storage.cdxj import sorted_lines
from nephila_storage.page_store import Capture, NothingStored, Stored, StoredRecord
from nephila_storage.s3_objects import NotThere, S3Objects
from nephila_storage.s3_settings import S3Settings
from nephila_storage.warc_placing import member_of, members_of, place_of, placed, unpacked
from nephila_storage.warc_records import warcinfo

WARC_END = ".warc.gz"
INDEX_END = ".cdxj"
_INSTANCE = re.compile(r"[a-zA-Z0-9._-]{1,100}")


class _Object:
    """An object that is being filled. Named with its first capture, so that its keys are known at once."""

    def __init__(self, stem: str) -> None:
        self.name = stem + WARC_END
        self.index_name = stem + INDEX_END
        self.length = 0
        self._members: list[bytes] = []
        self._index: list[bytes] = []

    def append(self, member: bytes) -> int:
        offset = self.length
        self._members.append(member)
        self.length += len(member)
        return offset

    def add_to_index(self, lines: bytes) -> None:
        self._index.append(lines)

    def content(self) -> bytes:
        return b"".join(self._members)

    def index(self) -> bytes:
        return sorted_lines(b"".join(self._index))


class S3WarcStore:
    """A PageStore and a Participant over one folder of a bucket. One caller at a time.

    What was stored since the last `prepare` is one object: how long that is, the host decides. Only an
    object that has grown beyond `object_bytes` is uploaded earlier. A crash between upload and commit
    leaves an object that no storage key names, for `sweep_orphans`.

    A name is instance, start of the run in ms, number, and digest of the first record: another run, or
    another process, never makes it again, and a put never overwrites. `store` and `prepare` raise
    S3Unavailable; the run is then over, as it is after any failed transaction.
    """

    def __init__(
        self,
        objects: S3Objects,
        settings: S3Settings,
        clock: Clock,
        instance: str,
        *,
        software: str = "Nephila",
    ) -> None:
        if not _INSTANCE.fullmatch(instance):
            raise ValueError(f"an instance's name is letters, digits, '.', '_', '-': {instance!r}")
        self._objects = objects
        self._object_bytes = settings.object_bytes
        self._software = software
        self._stem = f"{settings.prefix}{instance}-{clock.wall_ms()}"
        self._number = 0
        self._open: _Object | None = None

    async def store(self, capture: Capture) -> Stored:
        if self._open is not None and self._open.length >= self._object_bytes:
            await self._upload(self._open)
        members = members_of(capture)
        if self._open is None:
            self._open = self._begun(members[0].data, capture.exchange.fetched_at_unix_ms)
        new = placed(capture, members, self._open.name, self._open.append)
        self._open.add_to_index(new.index_lines)
        return new.stored

    def _begun(self, first_member: bytes, date_ms: int) -> _Object:
        stem = f"{self._stem}-{self._number:06}-{xxh3_64_hexdigest(first_member)}"
        self._number += 1
        begun = _Object(stem)
        file_name = begun.name.rpartition("/")[2]
        begun.append(member_of(warcinfo(file_name, self._software, date_ms)).data)
        return begun

    async def prepare(self) -> None:
        if self._open is not None:
            await self._upload(self._open)

    async def _upload(self, filled: _Object) -> None:
        await self._objects.put(filled.name, filled.content())
        await self._objects.put(filled.index_name, filled.index())
        self._open = None

    async def read(self, storage_key: str) -> StoredRecord:
        name, offset, length = place_of(storage_key)
        if self._open is not None and name == self._open.name:
            return unpacked(self._open.content()[offset : offset + length], storage_key)
        if not name.endswith(WARC_END):
            raise NothingStored(storage_key)
        try:
            member = await self._objects.get(name, offset, length)
        except NotThere:
            raise NothingStored(storage_key) from None
        return unpacked(member, storage_key)
