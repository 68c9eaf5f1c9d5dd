import errno
import os
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from nephila_standalone.errors import BadInput, CannotWrite, writing
from nephila_standalone.exit_codes import ExitCode


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.ENOSPC, "is full"),
        (errno.EDQUOT, "is full"),
        (errno.EACCES, "cannot write"),
        (errno.EROFS, "read-only file system"),
        (errno.EIO, "fails"),
    ],
)
def test_a_disk_that_refuses_is_a_fault_with_a_mend(tmp_path: Path, number: int, told: str) -> None:
    with pytest.raises(CannotWrite, match=told), writing(tmp_path):
        raise OSError(number, "refused")


def test_a_full_disk_is_found_inside_groups_and_causes(tmp_path: Path) -> None:
    inner = RuntimeError("a step failed")
    inner.__cause__ = OSError(errno.ENOSPC, "no space")
    with pytest.raises(CannotWrite, match="is full"), writing(tmp_path):
        raise ExceptionGroup("tasks", [ValueError("x"), inner])


def test_a_database_on_a_full_disk_is_a_full_disk(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "x.sqlite")
    connection.execute("PRAGMA max_page_count = 3")
    connection.execute("CREATE TABLE t (c)")
    with pytest.raises(CannotWrite, match="is full") as caught, writing(tmp_path):
        connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    connection.close()
    assert caught.value.exit_code == ExitCode.CANNOT_WRITE


@pytest.mark.parametrize(("flag", "told"), [(os.ST_RDONLY, "read-only"), (0, "fails: look after")])
def test_a_database_that_cannot_write_tells_a_read_only_mount_from_a_failing_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flag: int, told: str
) -> None:
    def mounted(_path: Path) -> SimpleNamespace:
        return SimpleNamespace(f_flag=flag)

    monkeypatch.setattr(os, "statvfs", mounted)
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
    with pytest.raises(CannotWrite, match=told), writing(tmp_path):
        raise error


def test_a_bug_is_not_dressed_up_as_a_fault(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), writing(tmp_path):
        raise ZeroDivisionError


def test_what_steers_a_terminal_is_shown_as_escapes() -> None:
    (line,) = BadInput("no \x1b[31mred\nline ‮", "none").lines()
    assert line == r"nephila: no \x1b[31mred\nline \u202e: none"
