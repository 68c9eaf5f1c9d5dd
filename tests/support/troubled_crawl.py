"""`nephila crawl` on the synthetic web while something goes wrong; judged from outside afterwards."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nephila_testkit.checker import Report, Terms, judge
from nephila_testkit.checker.outputs import read_outputs
from nephila_testkit.free_ports import free_tcp_port
from nephila_testkit.web import SyntheticWeb, WebShape, reachable, server
from nephila_testkit.web.served import ServerLog, read_log

PATIENCE_S = 60.0
# So that a wait which is asked for is the longer one, and shows when it is not kept.
SHORT_BACK_OFF = {"NEPHILA_FRONTIER_FIRST_BACK_OFF": "PT0.2S"}


def wait_until(reached: Callable[[], bool], what: str, within_s: float = PATIENCE_S) -> float:
    """Seconds until it was reached."""
    began = time.monotonic()
    while not reached():
        assert time.monotonic() - began < within_s, f"{what}: not within {within_s} s"
        time.sleep(0.05)
    return time.monotonic() - began


class RunningCrawl:
    """A crawl's process, watched while it runs."""

    def __init__(self, command: Sequence[str], environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )
        self.lines: list[str] = []
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line)

    def wait_for_line(self, words: str, *, after: int = 0) -> float:
        """Until a line with these words came, `after` so many lines."""
        return wait_until(
            lambda: any(words in line for line in self.lines[after:]) or self._ended(words),
            f"{words!r} in {self.lines}",
        )

    def _ended(self, words: str) -> bool:
        code = self.process.poll()
        assert code is None, f"ended with {code} before {words!r}: {self.lines}"
        return False

    def stop_for(self, seconds: float) -> None:
        """SIGSTOP, and SIGCONT so many seconds later."""
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def resident_bytes(self) -> int:
        pages = Path(f"/proc/{self.process.pid}/statm").read_text("ascii").split()[1]
        return int(pages) * os.sysconf("SC_PAGE_SIZE")

    def end(self, within_s: float = PATIENCE_S) -> tuple[int, str]:
        """Exit code and what it told on stderr."""
        self.process.wait(within_s)
        self._reader.join()
        assert self.process.stderr is not None
        return self.process.returncode, self.process.stderr.read()

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        self._reader.join()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()


@dataclass
class TroubledCrawl:
    """One DIR, one web, one log of its server; any number of runs of the same command."""

    shape: WebShape
    folder: Path
    delay_s: float = 0.05
    # DIR as the crawl names it, and as this process reaches it.
    into: Path = field(init=False)
    seen: Path = field(init=False)
    before: Sequence[str] = ()
    environment: dict[str, str] = field(default_factory=dict[str, str])
    options: Sequence[str] = ("--workers", "0")
    _running: RunningCrawl | None = None

    def __post_init__(self) -> None:
        self.into = self.seen = self.folder / "crawl"

    @property
    def _log(self) -> Path:
        return self.folder / "server.log"

    @contextmanager
    def served(self) -> Generator[None]:
        with server.running(self.shape, self._log):
            yield

    @contextmanager
    def running(self, **variables: str) -> Generator[RunningCrawl]:
        """The command under way; killed at the end if it still is."""
        web = SyntheticWeb(self.shape)
        nephila = os.fspath(Path(sys.executable).with_name("nephila"))
        network = ["--allow-network", f"127.{self.shape.network}.0.0/16"]
        into = ["--into", os.fspath(self.into), "--delay", str(self.delay_s)]
        command = [*self.before, nephila, "crawl", web.seeds[0], "--scope", "any", *into, *network]
        ours = {k: v for k, v in os.environ.items() if not k.upper().startswith("NEPHILA_")}
        started = RunningCrawl([*command, *self.options], {**ours, **self.environment, **variables})
        self._running = started
        try:
            yield started
        finally:
            self._running = None
            started.close()

    def events(self) -> int:
        """Pages told so far."""
        try:
            return (self.seen / "page_fetched.ndjson").read_bytes().count(b"\n")
        except FileNotFoundError:
            return 0

    def wait_for_events(self, count: int, within_s: float = PATIENCE_S) -> float:
        def reached() -> bool:
            running = self._running
            ended = running is not None and running.process.poll() is not None
            enough = self.events() >= count
            if ended and not enough and running is not None:
                raise AssertionError(f"ended before {count} events: {running.end()}")
            return enough

        return wait_until(reached, f"{count} events", within_s)

    def log(self) -> ServerLog:
        return read_log(self._log)

    def judge(self, kills: int = 0, repeats_allowed: int = 0) -> Report:
        """Every law, at the end. `kills` counts the times that the crawl began anew from DIR."""
        web = SyntheticWeb(self.shape)
        terms = Terms(self.delay_s, kills=kills, repeats_allowed=repeats_allowed)
        return judge(self.log(), terms, reachable(web, web.seeds[:1]), read_outputs(self.seen))


def small_web(network: int, **knobs: Any) -> WebShape:
    """Hosts by address, so that no name server is needed; calm but for `knobs`."""
    shape = WebShape(
        hosts=6, pages_per_host=12, addressing="address", network=network, port=free_tcp_port()
    )
    return replace(shape.calm(), **knobs)
