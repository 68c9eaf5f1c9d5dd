"""Pages in WARC files of a folder, a CDXJ index beside each."""

import os
import re
from pathlib import Path

from nephila_runtime.database import Database

from nephila_storage.append_file import (
    AppendFile,
    Sync,
    committed_names,
    replace_file,
    sync_in_thread,
)
from nephila_storage.cdxj import sorted_lines
from nephila_storage.page_store import (
    Capture,
    NothingStored,
    Stored,
    StoredRecord,
)
from nephila_storage.warc_placing import member_of, members_of, place_of, placed, unpacked
from nephila_storage.warc_records import warcinfo

# The WARC standard's annex C recommends files of 1 GB.
FILE_BYTES = 1 << 30
# An index is sorted in memory, while all else waits: 0.1 s and three times its size. Only of pages smaller
# than 30 KB do so many fit into a file.
INDEX_BYTES = 1 << 23
_NUMBERED = re.compile(r"nephila-([0-9]{5,})\.(?:warc\.gz|cdxj)")


class FileWarcStore:
    """A PageStore and a Participant over `folder`/nephila-00000.warc.gz and its like.

    The object of a storage key is the file's path from the folder's parent. A file that grew beyond
    `file_bytes`, or its index beyond `index_bytes`, is closed, the index sorted once that is committed.
    Opening raises AppendFileDamaged.
    """

    def __init__(
        self,
        folder: Path,
        database: Database,
        *,
        software: str = "Nephila",
        file_bytes: int = FILE_BYTES,
        index_bytes: int = INDEX_BYTES,
        sync: Sync = sync_in_thread,
    ) -> None:
        self._folder = folder
        self._database = database
        self._software = software
        self._file_bytes = file_bytes
        self._index_bytes = index_bytes
        self._sync = sync
        self._full: list[tuple[AppendFile, AppendFile]] = []
        self._to_sort: list[Path] = []
        names = committed_names(database, f"{folder.name}/nephila-")
        self._number = max((_number(name) for name in names), default=0)
        if names:
            self._remove_uncommitted()
        self._warc, self._index = self._open()

    def _remove_uncommitted(self) -> None:
        """Files that a crash left beyond the last one that was committed."""
        for path in self._folder.glob("nephila-*"):
            if _NUMBERED.fullmatch(path.name) and _number(path.name) > self._number:
                path.unlink()

    def _open(self) -> tuple[AppendFile, AppendFile]:
        stem = f"nephila-{self._number:05}"
        warc, index = (
            AppendFile(
                self._folder / f"{stem}.{kind}",
                f"{self._folder.name}/{stem}.{kind}",
                self._database,
                self._sync,
            )
            for kind in ("warc.gz", "cdxj")
        )
        return warc, index

    async def store(self, capture: Capture) -> Stored:
        if self._warc.length >= self._file_bytes or self._index.length >= self._index_bytes:
            self._rotate()
        if self._warc.length == 0:
            first_ms = capture.exchange.fetched_at_unix_ms
            first = warcinfo(self._warc.path.name, self._software, first_ms)
            self._warc.append(member_of(first).data)
        new = placed(capture, members_of(capture), self._warc.name, self._warc.append)
        self._index.append(new.index_lines)
        return new.stored

    def _rotate(self) -> None:
        self._full.append((self._warc, self._index))
        self._number += 1
        self._warc, self._index = self._open()

    async def prepare(self) -> None:
        # A second `prepare` tells that what the first one covered is committed.
        for path in self._to_sort:
            _sort_index(path)
        self._to_sort.clear()
        for warc, index in self._full:
            await warc.prepare()
            await index.prepare()
            warc.close()
            index.close()
            self._to_sort.append(index.path)
        self._full.clear()
        await self._warc.prepare()
        await self._index.prepare()

    async def read(self, storage_key: str) -> StoredRecord:
        name, offset, length = place_of(storage_key)
        if name == self._warc.name:
            return unpacked(self._warc.read(offset, length), storage_key)
        self._flush_full()
        return read_record(self._folder.parent, storage_key)

    def _flush_full(self) -> None:
        for warc, _ in self._full:
            warc.flush()

    def close(self) -> None:
        """Closes the files; what is not committed is cut off by the next opening."""
        for warc, index in [*self._full, (self._warc, self._index)]:
            warc.close()
            index.close()


def read_record(folder: Path, storage_key: str) -> StoredRecord:
    """Reads a record below `folder`, also while another process writes. Raises NothingStored."""
    name, offset, length = place_of(storage_key)
    base, _, file_name = name.rpartition("/")
    if not _NUMBERED.fullmatch(file_name):
        raise NothingStored(storage_key)
    try:
        descriptor = os.open(folder / Path(base).name / file_name, os.O_RDONLY)
    except FileNotFoundError:
        raise NothingStored(storage_key) from None
    try:
        member = os.pread(descriptor, length, offset)
    finally:
        os.close(descriptor)
    return unpacked(member, storage_key)


def sort_indexes(folder: Path) -> None:
    """Sorts every CDXJ of a folder that nobody writes to, such as at the end of a crawl."""
    for path in sorted(folder.glob("nephila-*.cdxj")):
        _sort_index(path)


def _sort_index(path: Path) -> None:
    lines = path.read_bytes()
    in_order = sorted_lines(lines)
    if in_order != lines:
        replace_file(path, in_order)


def _number(name: str) -> int:
    match = _NUMBERED.search(name)
    return int(match[1]) if match else 0
