"""One server a test run: shared by its workers, gone after it, however it ends."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from nephila_testkit.servers import session_of

ROOT = Path(__file__).resolve().parents[3]
SUPPORT = ROOT / "tests" / "support"
# Each test tells the server's pid, and goes on while it is told to.
SHARING = """\
import os, time
from pathlib import Path
import pytest
from nephila_testkit.servers import Servers
from server_fixtures import RUN

@pytest.mark.parametrize("number", range(4))
def test_tells(redis_address, pytestconfig, number):
    server = Servers.at(pytestconfig.stash[RUN].directory).redis
    assert server.address == redis_address
    told = Path(os.environ["TOLD"])
    (told / str(number)).write_text(str(server.pid))
    time.sleep(0.2)
    while (told / "wait").exists():
        time.sleep(0.02)
"""
TAKING = """\
from server_fixtures import S3Endpoint

def test_takes(redis_address, s3_endpoint):
    assert redis_address == "127.0.0.1:1"
    assert s3_endpoint == S3Endpoint("127.0.0.1:2", "key", "secret")
"""


class Run:
    """A test run of its own."""

    def __init__(self, directory: Path, tests: str, *options: str) -> None:
        self.told = directory / "told"
        self.told.mkdir()
        (directory / "test_them.py").write_text(tests)
        (directory / "conftest.py").write_text('pytest_plugins = ["server_fixtures"]\n')
        (directory / "pytest.ini").write_text(f"[pytest]\npythonpath = {SUPPORT}\n")
        self.environment = {**os.environ, "TOLD": str(self.told), "TMPDIR": str(directory)}
        for name in [name for name in self.environment if name.startswith("PYTEST")]:
            del self.environment[name]
        self.command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
        self.command += ["--rootdir", str(directory), *options, str(directory)]
        self.directory = directory

    def finished(self) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command, env=self.environment, capture_output=True, text=True, cwd=self.directory
        )

    def server_pids(self) -> set[int]:
        return {int(path.read_text()) for path in self.told.glob("[0-9]")}

    def server_folders(self) -> list[Path]:
        return list(self.directory.glob("nephila-servers-*"))


def _until(holds: Callable[[], object], within_s: float = 60) -> None:
    waits_until = time.monotonic() + within_s
    while not holds():
        assert time.monotonic() < waits_until, "waited in vain"
        time.sleep(0.05)


def test_workers_share_one_server_that_ends_with_the_run(tmp_path: Path) -> None:
    run = Run(tmp_path, SHARING, "-n", "2")
    ended = run.finished()
    assert "4 passed" in ended.stdout, ended.stdout + ended.stderr
    (pid,) = run.server_pids()
    assert session_of(pid) == []
    assert run.server_folders() == []


def test_a_server_that_runs_is_taken_when_its_address_is_given(tmp_path: Path) -> None:
    run = Run(tmp_path, TAKING, "--redis=127.0.0.1:1", "--s3=key:secret@127.0.0.1:2")
    ended = run.finished()
    assert "1 passed" in ended.stdout, ended.stdout + ended.stderr
    assert run.server_folders() == []


def test_a_killed_run_leaves_no_server(tmp_path: Path) -> None:
    run = Run(tmp_path, SHARING)
    (run.told / "wait").touch()
    with subprocess.Popen(
        run.command, env=run.environment, stdout=subprocess.DEVNULL, cwd=tmp_path
    ) as running:
        _until(run.server_pids)
        (pid,) = run.server_pids()
        assert session_of(pid) == [pid]
        running.send_signal(signal.SIGKILL)
    _until(lambda: session_of(pid) == [])
    _until(lambda: run.server_folders() == [])
