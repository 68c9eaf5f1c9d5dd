"""A file that only grows, and takes part in the embedded host's transaction.

Its committed length stands in the database. Opening cuts off what a crash left behind it, so a reader
sees exactly what was committed.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from nephila_runtime.database import Database

Sync = Callable[[int], Awaitable[None]]

BUFFER_BYTES = 1 << 20

_APPEND_FILES = """
CREATE TABLE IF NOT EXISTS append_files (
  name TEXT PRIMARY KEY,
  length INTEGER NOT NULL
) WITHOUT ROWID
"""


class AppendFileDamaged(Exception):
    """The file is not the one that the database knows: its text says what to do, in one line."""


async def sync_in_thread(descriptor: int) -> None:
    """Makes a file durable in a thread, so that the network goes on meanwhile."""
    await asyncio.to_thread(os.fdatasync, descriptor)


async def sync_inline(descriptor: int) -> None:
    """Makes a file durable in the event loop: for simulation, where a thread would bring in chance."""
    os.fdatasync(descriptor)


class AppendFile:
    """A Participant. Appends are buffered up to 1 MiB; `prepare` makes them durable.

    `name` is the file's key in the database, the same in every run. Opening raises AppendFileDamaged
    when the file is shorter than committed, or has content that this database knows nothing of.
    """

    def __init__(
        self, path: Path, name: str, database: Database, sync: Sync = sync_in_thread
    ) -> None:
        self.path = path
        self.name = name
        self._database = database
        self._sync = sync
        self._buffer: list[bytes] = []
        self._buffered = 0
        self._written = self._prepared = self._committed_length()
        self._descriptor = self._open()

    def _committed_length(self) -> int:
        self._database.define([_APPEND_FILES])
        row = self._database.row("SELECT length FROM append_files WHERE name = ?", [self.name])
        size = self.path.stat().st_size if self.path.exists() else 0
        if row is None:
            if size:
                raise AppendFileDamaged(
                    f"{self.path} is not of this crawl: move it away, or crawl into another folder"
                )
            self._database.execute("INSERT INTO append_files VALUES (?, 0)", [self.name])
            return 0
        (length,) = row
        if size < length:
            raise AppendFileDamaged(
                f"{self.path} has {size} bytes where {length} were committed: restore it from a backup"
            )
        return length

    def _open(self) -> int:
        new = not self.path.exists()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        os.ftruncate(descriptor, self._written)
        if new:
            _sync_folder(self.path.parent)
        return descriptor

    @property
    def length(self) -> int:
        """Bytes appended in all: where the next append goes."""
        return self._written + self._buffered

    def append(self, data: bytes) -> int:
        """Adds the bytes; returns their offset."""
        offset = self._written + self._buffered
        self._buffer.append(data)
        self._buffered += len(data)
        if self._buffered >= BUFFER_BYTES:
            self.flush()
        return offset

    def flush(self) -> None:
        """Hands the buffer to the operating system."""
        data = memoryview(b"".join(self._buffer))
        while data:
            count = os.pwrite(self._descriptor, data, self._written)
            self._written += count
            data = data[count:]
        self._buffer.clear()
        self._buffered = 0

    def read(self, offset: int, length: int) -> bytes:
        """Bytes appended earlier, durable or not; fewer at the end of the file."""
        if self._buffered and offset + length > self._written:
            self.flush()
        return os.pread(self._descriptor, length, offset)

    async def prepare(self) -> None:
        if self.length == self._prepared:
            return
        self.flush()
        await self._sync(self._descriptor)
        self._database.execute(
            "UPDATE append_files SET length = ? WHERE name = ?", [self._written, self.name]
        )
        self._prepared = self._written

    def close(self) -> None:
        """Closes without making durable: what was not prepared is cut off by the next opening."""
        os.close(self._descriptor)


def committed_names(database: Database, prefix: str) -> list[str]:
    """Names of the append files that start with `prefix`, in order."""
    database.define([_APPEND_FILES])
    return [
        name
        for (name,) in database.rows("SELECT name FROM append_files ORDER BY name")
        if name.startswith(prefix)
    ]


def replace_file(path: Path, content: bytes) -> None:
    """Puts `content` in the file's place, durably, or leaves it as it was."""
    beside = path.with_name(path.name + ".new")
    with beside.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
