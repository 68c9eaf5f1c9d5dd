"""What a person gets wrong, and what a machine denies: each is told in one line that names the fault and the
mend, with a documented exit code, and the same command goes on once it is mended."""

import json
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from nephila_standalone.exit_codes import ExitCode
from nephila_testkit.web import dns_server

PAGES = 12
# Random bytes do not compress: each page takes that much of a disk.
PAGE_BYTES = 60_000
NEPHILA = [sys.executable, "-m", "nephila_standalone"]
OWN_NETWORK = ["--allow-network", "127.0.0.0/8", "--delay", "0", "--workers", "0"]
EXPECTED_SECONDS = 60
# A port that refuses is tried three times, with minutes between by default.
QUICK_TRIES = {
    "NEPHILA_FETCHER_ROBOTS_RETRY": "PT0.2S",
    "NEPHILA_FRONTIER_FIRST_BACK_OFF": "PT0.2S",
}


class Site(BaseHTTPRequestHandler):
    """A chain of pages: / leads to /1, /1 to /2, and so on to /PAGES."""

    def do_GET(self) -> None:
        number = int(self.path[1:] or 0) if self.path[1:].isdigit() or self.path == "/" else -1
        if not 0 <= number <= PAGES:
            self.send_error(404)
            return
        link = f'<a href="/{number + 1}">next</a>' if number < PAGES else ""
        noise = os.urandom(PAGE_BYTES // 2).hex()
        body = f"<!doctype html><title>{number}</title>{link}<!-- {noise} -->".encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Quiet."""


@contextmanager
def site_on(port: int = 0) -> Generator[int]:
    """The site on loopback; gives its port."""
    with ThreadingHTTPServer(("127.0.0.1", port), Site) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def site() -> Generator[str]:
    with site_on() as port:
        yield f"http://127.0.0.1:{port}/"


def free_port(kind: socket.SocketKind = socket.SOCK_STREAM) -> int:
    with socket.socket(socket.AF_INET, kind) as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def environment(**variables: str) -> dict[str, str]:
    ours = {k: v for k, v in os.environ.items() if not k.upper().startswith("NEPHILA_")}
    return {**ours, **variables}


def nephila(
    *arguments: str | Path, before: Sequence[str] = (), **variables: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*before, *NEPHILA, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=EXPECTED_SECONDS,
        env=environment(**variables),
        check=False,
    )


def assert_told(run: subprocess.CompletedProcess[str], code: ExitCode, *words: str) -> None:
    """One line on stderr, of the form `nephila: fault: mend`, with these words, and that exit code."""
    lines = run.stderr.splitlines()
    assert len(lines) == 1, run.stderr
    assert lines[0].startswith("nephila: ")
    assert lines[0].count(": ") >= 2
    for word in words:
        assert word in lines[0]
    assert run.returncode == code


def assert_all_fetched(directory: Path) -> None:
    events = (directory / "page_fetched.ndjson").read_text("utf-8").splitlines()
    urls = [json.loads(event)["url"] for event in events]
    assert len(urls) == len(set(urls)) == PAGES + 1


def crawl_of(site: str, directory: Path) -> list[str]:
    return ["crawl", site, "--into", str(directory), *OWN_NETWORK]


@pytest.mark.parametrize("text", ["no url at all", "ftp://example.org/", "https://", "word"])
def test_what_is_no_url_is_told_and_nothing_is_made(tmp_path: Path, text: str) -> None:
    run = nephila("crawl", text, "--into", tmp_path / "d")
    assert_told(run, ExitCode.BAD_INPUT, repr(text), "https://")
    assert not (tmp_path / "d").exists()


def test_an_unknown_option_is_answered_by_the_nearest(tmp_path: Path) -> None:
    run = nephila("crawl", "example.org", "--pagse", "3", "--into", tmp_path / "d")
    assert_told(run, ExitCode.BAD_INPUT, "--pagse", "did you mean --pages?")
    assert not (tmp_path / "d").exists()


def test_an_unknown_setting_is_answered_by_the_nearest(tmp_path: Path, site: str) -> None:
    run = nephila(*crawl_of(site, tmp_path / "d"), NEPHILA_URL_DEDUP_BACTH="5")
    assert_told(
        run, ExitCode.BAD_INPUT, "NEPHILA_URL_DEDUP_BACTH", "did you mean NEPHILA_URL_DEDUP_BATCH?"
    )
    assert not (tmp_path / "d").exists()


def test_a_setting_without_a_meaning_is_named(tmp_path: Path, site: str) -> None:
    run = nephila(*crawl_of(site, tmp_path / "d"), NEPHILA_URL_DEDUP_BATCH="many")
    assert_told(run, ExitCode.BAD_INPUT, "NEPHILA_URL_DEDUP_BATCH is 'many'")


def test_a_host_that_does_not_exist_is_told_and_tried_again_when_it_does(tmp_path: Path) -> None:
    dns_port = free_port(socket.SOCK_DGRAM)
    with site_on() as port:
        command = [
            *crawl_of(f"http://nowhere.test:{port}/", tmp_path / "d"),
            "--dns",
            f"127.0.0.1:{dns_port}",
        ]
        with dns_server.running({}, dns_port):
            run = nephila(*command)
        assert_told(run, ExitCode.NOTHING_FETCHED, "no such host", "nowhere.test", "--dns")
        with dns_server.running(dns_server.zone_of({"nowhere.test": "127.0.0.1"}), dns_port):
            run = nephila(*command)
        assert run.returncode == ExitCode.DONE, run.stderr
    assert_all_fetched(tmp_path / "d")


def test_a_port_that_refuses_is_told_and_tried_again_when_it_does_not(tmp_path: Path) -> None:
    port = free_port()
    command = crawl_of(f"http://127.0.0.1:{port}/", tmp_path / "d")
    run = nephila(*command, **QUICK_TRIES)
    assert_told(run, ExitCode.NOTHING_FETCHED, "connection refused", "server")
    with site_on(port):
        run = nephila(*command)
    assert run.returncode == ExitCode.DONE, run.stderr
    assert_all_fetched(tmp_path / "d")


def test_a_loopback_address_names_the_option_that_allows_it(tmp_path: Path, site: str) -> None:
    run = nephila("crawl", site, "--into", tmp_path / "d", "--workers", "0")
    assert_told(run, ExitCode.NOTHING_FETCHED, "address forbidden", "--allow-network")
    run = nephila(*crawl_of(site, tmp_path / "d"))
    assert run.returncode == ExitCode.DONE, run.stderr
    assert_all_fetched(tmp_path / "d")


def without_power_over_rights() -> list[str]:
    """A prefix under which file modes count for root too."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--bounding-set", "-dac_override,-dac_read_search"]


def test_a_directory_without_the_right_to_write_is_told(tmp_path: Path, site: str) -> None:
    parent = tmp_path / "closed"
    parent.mkdir(mode=0o555)
    command = crawl_of(site, parent / "d")
    run = nephila(*command, before=without_power_over_rights())
    assert_told(run, ExitCode.CANNOT_WRITE, str(parent), "--into")
    parent.chmod(0o755)
    assert nephila(*command, before=without_power_over_rights()).returncode == ExitCode.DONE
    assert_all_fetched(parent / "d")


def in_a_mount_namespace(script: str) -> subprocess.CompletedProcess[str]:
    """Runs a shell script that may mount; its mounts end with it."""
    return subprocess.run(
        ["unshare", "-rm", "sh", "-euc", script],
        capture_output=True,
        text=True,
        timeout=2 * EXPECTED_SECONDS,
        env=environment(
            NEPHILA_STANDALONE_DISK_PATIENCE="PT2S",
            NEPHILA=shlex.join(NEPHILA),
            PYTHONUNBUFFERED="1",
        ),
        check=False,
    )


def test_a_read_only_disk_is_told(tmp_path: Path, site: str) -> None:
    (tmp_path / "disk").mkdir()
    disk, command = (
        shlex.quote(str(tmp_path / "disk")),
        shlex.join(crawl_of(site, tmp_path / "disk" / "d")),
    )
    run = in_a_mount_namespace(f"""
        mount --bind {disk} {disk}
        mount -o remount,bind,ro {disk}
        exec $NEPHILA {command}
    """)
    assert_told(run, ExitCode.CANNOT_WRITE, "read-only", "--into")
    assert nephila(*crawl_of(site, tmp_path / "disk" / "d")).returncode == ExitCode.DONE
    assert_all_fetched(tmp_path / "disk" / "d")


def test_a_disk_that_is_full_from_the_start_is_told(tmp_path: Path, site: str) -> None:
    (tmp_path / "disk").mkdir()
    disk, command = (
        shlex.quote(str(tmp_path / "disk")),
        shlex.join(crawl_of(site, tmp_path / "disk" / "d")),
    )
    run = in_a_mount_namespace(f"""
        mount -t tmpfs -o size=64k tmpfs {disk}
        head -c 1000000 /dev/zero > {disk}/ballast 2>/dev/null || true
        exec $NEPHILA {command}
    """)
    assert_told(run, ExitCode.CANNOT_WRITE, "full", "make room")


def test_a_disk_that_fills_up_loses_nothing(tmp_path: Path, site: str) -> None:
    """Fills a small disk in the middle of a crawl, makes room, and goes on with the same command."""
    (tmp_path / "disk").mkdir()
    disk, command = (
        shlex.quote(str(tmp_path / "disk")),
        shlex.join(crawl_of(site, tmp_path / "disk" / "d")),
    )
    out = shlex.quote(str(tmp_path / "out"))
    run = in_a_mount_namespace(f"""
        mount -t tmpfs -o size=1200k tmpfs {disk}
        status=0
        $NEPHILA {command} || status=$?
        test $status -eq {int(ExitCode.CANNOT_WRITE)} || exit $status
        mount -o remount,size=64m {disk}
        $NEPHILA {command}
        cp -a {disk}/d {out}
        exit $status
    """)
    assert_told(run, ExitCode.CANNOT_WRITE, "full", "the same command again")
    assert_all_fetched(tmp_path / "out")


def test_a_directory_in_use_names_its_holder_who_is_not_disturbed(
    tmp_path: Path, site: str
) -> None:
    command = crawl_of(site, tmp_path / "d")
    slow = [*NEPHILA, *command[:-4], "--delay", "1", "--workers", "0"]
    with subprocess.Popen(
        slow, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment()
    ) as first:
        try:
            wait_for(tmp_path / "d" / "page_fetched.ndjson")
            run = nephila(*command)
            assert_told(run, ExitCode.IN_USE, f"process {first.pid}", f"kill {first.pid}")
            looked = nephila("status", tmp_path / "d")
            assert looked.returncode == ExitCode.DONE
            assert f"process {first.pid} is crawling" in looked.stdout
            first.send_signal(signal.SIGINT)
            out, err = first.communicate(timeout=EXPECTED_SECONDS)
        finally:
            first.kill()
    assert err == ""
    assert first.returncode == ExitCode.DONE
    assert "Stopped in order" in out
    assert nephila(*command).returncode == ExitCode.DONE
    assert_all_fetched(tmp_path / "d")


def wait_for(file: Path) -> None:
    """Until the file has a line in it."""
    until = time.monotonic() + EXPECTED_SECONDS
    while not (file.exists() and file.stat().st_size):
        assert time.monotonic() < until, f"{file} never came"
        time.sleep(0.05)


@pytest.fixture
def crawled(tmp_path: Path, site: str) -> Path:
    run = nephila(*crawl_of(site, tmp_path / "d"))
    assert run.returncode == ExitCode.DONE, run.stderr
    return tmp_path / "d"


def test_a_directory_of_another_version_is_left_alone(crawled: Path, site: str) -> None:
    ours = (crawled / "crawl.json").read_text("utf-8")
    theirs = json.dumps({**json.loads(ours), "format": 99, "made_by": "nephila 7.0"})
    (crawled / "crawl.json").write_text(theirs, "utf-8")
    for command in (crawl_of(site, crawled), ["status", str(crawled)]):
        run = nephila(*command)
        assert_told(run, ExitCode.OTHER_CRAWL, "format 99", "go on with nephila 7.0")
    (crawled / "crawl.json").write_text(ours, "utf-8")
    assert nephila(*crawl_of(site, crawled)).returncode == ExitCode.DONE
    assert_all_fetched(crawled)


def test_another_scope_on_the_same_directory_says_how_to_start_anew(
    crawled: Path, site: str
) -> None:
    run = nephila(*crawl_of(site, crawled), "--scope", "any")
    assert_told(run, ExitCode.OTHER_CRAWL, "--scope host", "start anew")
    assert nephila(*crawl_of(site, crawled)).returncode == ExitCode.DONE
    assert_all_fetched(crawled)


def test_a_directory_of_somebody_else_is_left_alone(tmp_path: Path, site: str) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    assert_told(nephila(*crawl_of(site, tmp_path)), ExitCode.OTHER_CRAWL, "other files", "--into")
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_a_file_in_the_place_of_the_directory_is_left_alone(tmp_path: Path, site: str) -> None:
    (tmp_path / "file").write_text("precious")
    assert_told(nephila(*crawl_of(site, tmp_path / "file")), ExitCode.CANNOT_WRITE, "--into")
    assert (tmp_path / "file").read_text() == "precious"


def test_a_look_at_no_crawl_says_what_to_name(tmp_path: Path) -> None:
    for command in (
        ["status", tmp_path],
        ["pages", tmp_path],
        ["explain", "a.org", "--in", tmp_path],
    ):
        assert_told(nephila(*command), ExitCode.OTHER_CRAWL, "no crawl", "--into")
