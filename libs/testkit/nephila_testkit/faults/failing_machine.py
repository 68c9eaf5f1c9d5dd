"""Faults of the machine under a process: put before libc, chosen at any moment by whoever watches."""

import mmap
import os
import shutil
import struct
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

_SOURCE = Path(__file__).with_name("failing_machine.c")
# As in failing_machine.c.
_FIELDS = ("wall_offset_s", "sync_delay_us", "sync_errno", "write_errno", "allowance", "refusals")
_ALWAYS = 1 << 62
_LAYOUT = struct.Struct(f"{len(_FIELDS)}q")


class FailingMachine:
    """A context. Processes started with `environment` feel what is set while they run.

    `folder` is where disks fail; the time of day is wrong everywhere in those processes. `workshop`
    is a folder for the library and the page that steers it. Skips the test, with the reason, where no C
    compiler is.
    """

    def __init__(self, workshop: Path, folder: Path) -> None:
        self._library = workshop / "failing_machine.so"
        self._page = workshop / "failing_machine.page"
        self._folder = folder

    def __enter__(self) -> Self:
        cc = shutil.which("cc")
        if cc is None:
            pytest.skip("what makes a machine fail is built with cc, which is not on this machine")
        command = [cc, "-O1", "-shared", "-fPIC", "-o", self._library, _SOURCE, "-ldl"]
        subprocess.run(command, check=True)
        self._page.write_bytes(bytes(_LAYOUT.size))
        with self._page.open("r+b") as page:
            self._shared = mmap.mmap(page.fileno(), _LAYOUT.size)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self._shared.close()

    @property
    def environment(self) -> dict[str, str]:
        return {
            "LD_PRELOAD": os.fspath(self._library),
            "FAILING_MACHINE_PAGE": os.fspath(self._page),
            "FAILING_MACHINE_FOLDER": os.fspath(self._folder),
        }

    def step_clock(self, seconds: int) -> None:
        """The time of day is the true one plus `seconds`; monotonic clocks stay true."""
        self._set("wall_offset_s", seconds)

    def slow_syncs(self, seconds: float) -> None:
        """Making a file durable takes so much longer."""
        self._set("sync_delay_us", int(seconds * 1e6))

    def fail_syncs(self, errno: int, times: int = _ALWAYS) -> None:
        """Making a file durable fails, so many times."""
        self._set("allowance", times)
        self._set("sync_errno", errno)

    def refuse_writes(self, errno: int) -> None:
        """Files take no more bytes; with EROFS they cannot be opened for writing either."""
        self._set("allowance", _ALWAYS)
        self._set("write_errno", errno)

    def mend(self) -> None:
        """All is well again, but for the time of day."""
        for field in ("sync_delay_us", "sync_errno", "write_errno"):
            self._set(field, 0)

    @property
    def refusals(self) -> int:
        """Calls refused so far."""
        return _LAYOUT.unpack(self._shared[:])[_FIELDS.index("refusals")]

    def _set(self, field: str, value: int) -> None:
        struct.pack_into("q", self._shared, 8 * _FIELDS.index(field), value)
