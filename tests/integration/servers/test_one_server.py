"""What holds for every kind of server, shown with the quickest."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from nephila_testkit.free_ports import lasting_tcp_ports
from nephila_testkit.servers import NotReady, Server, Servers, session_of
from nephila_testkit.servers.__main__ import main


@pytest.fixture
def redis(own_server: Callable[[str], Server]) -> Server:
    return own_server("redis")


def test_a_second_start_leaves_the_first_alone(redis: Server) -> None:
    assert redis.start()
    pid = redis.pid
    assert not redis.start()
    assert redis.pid == pid


def test_a_server_is_found_again_by_its_folder_alone(redis: Server) -> None:
    redis.start()
    again = Servers.at(redis.directory.parent).redis
    assert (again.pid, again.address) == (redis.pid, redis.address)
    assert again.stop()
    assert redis.pid is None
    assert not redis.stop()


def test_the_port_asked_for_is_taken(tmp_path: Path) -> None:
    (port,) = lasting_tcp_ports(1)
    with Servers.at(tmp_path, {"redis": port}).redis as redis:
        assert redis.address == f"127.0.0.1:{port}"


def test_a_port_of_another_program_is_one_clear_line(tmp_path: Path) -> None:
    (port,) = lasting_tcp_ports(1)
    with socket.socket() as other:
        other.bind(("127.0.0.1", port))
        other.listen()
        with pytest.raises(NotReady, match=f"redis: another program listens on port {port}"):
            Servers.at(tmp_path, {"redis": port}).redis.start()


def test_a_pid_that_went_to_another_program_is_not_ours(redis: Server) -> None:
    redis.directory.mkdir(parents=True)
    (redis.directory / "pid").write_text(f"{os.getpid()} 1\n")
    assert redis.pid is None
    assert not redis.kill()


def test_a_zombie_does_not_run(redis: Server) -> None:
    """As in a container whose first process never asks for its children."""
    child = os.posix_spawn("/bin/true", ["true"], {})
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    born = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[19]
    redis.directory.mkdir(parents=True)
    (redis.directory / "pid").write_text(f"{child} {born}\n")
    assert session_of(child) == []
    assert redis.pid is None


def test_a_server_that_hangs_is_killed_after_its_time(redis: Server) -> None:
    redis.start()
    pid = redis.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    assert redis.stop()
    assert session_of(pid) == []


def test_one_that_ends_at_once_is_told_with_its_last_words(redis: Server) -> None:
    files = redis.directory / "data" / "appendonlydir"
    files.mkdir(parents=True)
    (files / "appendonly.aof.manifest").write_text("torn")
    with pytest.raises(NotReady, match=r"(?s)redis ended:.*manifest"):
        redis.start()


def test_the_command_starts_tells_and_stops(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = [str(tmp_path), "redis"]
    assert main(["status", *told]) == 3
    assert main(["start", *told]) == 0
    address = Servers.at(tmp_path).redis.address
    assert f"--redis={address}" in capsys.readouterr().out
    assert main(["status", *told]) == 0
    assert main(["stop", *told]) == 0
    assert main(["status", *told]) == 3


@pytest.mark.parametrize("command", [["start", "DIR", "mysql"], ["restart", "DIR"], []])
def test_a_command_that_is_none_is_refused(command: list[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(command)
    assert refused.value.code == 2


def test_a_server_outlives_the_process_that_started_it(redis: Server) -> None:
    directory = str(redis.directory.parent)
    module = [sys.executable, "-m", "nephila_testkit.servers"]
    subprocess.run([*module, "start", directory, "redis"], check=True, capture_output=True)
    assert redis.pid is not None
    assert redis.stop()
