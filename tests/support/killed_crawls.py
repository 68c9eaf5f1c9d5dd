"""Crawls of the synthetic web over sockets that are killed again and again, and gone on with each time.

The web is served by a process of its own whose log outlives every kill; it and DIR are the only
witnesses. A crawl that has come to its end is judged and the next one begins, on another web in a
fresh DIR, until there were as many kills as asked for.
"""

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from in_flight import in_flight
from nephila_testkit.checker import Report, Terms, judge
from nephila_testkit.checker.outputs import read_outputs
from nephila_testkit.free_ports import free_tcp_port, free_udp_port
from nephila_testkit.web import SyntheticWeb, WebShape, dns_server, reachable, server
from nephila_testkit.web.served import read_log

# Longer than a process takes to start where that is quick, so that a delay forgotten at a death shows;
# and as long as a Retry-After of the web, of which nobody knows when the answer died with the process.
DELAY_S = 1.0
POINTS = ("handled", "synced", "prepared", "within commit", "committed", "trim")
_ENTRY = Path(__file__).parent.parent / "fault" / "dying_crawl.py"
_LONGEST_LIFE_S = 2.0
_PATIENCE_S = 100.0


@dataclass
class Killings:
    """What was done, and what came of it."""

    kills: int = 0
    in_flight: int = 0
    """Leases not committed as fetched, over all kills."""
    slowest_opening_s: float = 0.0
    """CPU of a process from its start to its first line of progress: wall time would tell of the machine."""
    orphans: int = 0
    """Parsers that outlived their parent for long."""
    reports: list[Report] = field(default_factory=list[Report])

    @classmethod
    def together(cls, all_of_them: Iterable["Killings"]) -> "Killings":
        total = cls()
        for one in all_of_them:
            total.kills += one.kills
            total.in_flight += one.in_flight
            total.slowest_opening_s = max(total.slowest_opening_s, one.slowest_opening_s)
            total.orphans += one.orphans
            total.reports += one.reports
        return total

    def broken(self) -> list[str]:
        return [report.to_json() for report in self.reports if not report.is_clean]

    def count(self, *laws: str) -> int:
        found = [finding for report in self.reports for finding in report.findings]
        return sum(f.violations for f in found if f.law.startswith(laws))

    def line(self) -> str:
        repeats = sum(report.counts["repeats"] for report in self.reports)
        return (
            f"{self.kills} kills, {self.count('I1', 'I5')} lost, {self.count('I3', 'I4')} violations,"
            f" {repeats} repeats ({self.in_flight} in flight), {len(self.reports)} crawls,"
            f" slowest opening {self.slowest_opening_s:.1f} CPU s, {self.orphans} orphans,"
            f" {self.count('I2', 'I6', 'I7')} other findings"
        )


class KilledCrawl:
    """One crawl, through as many deaths as it lasts."""

    def __init__(self, shape: WebShape, into: Path, rng: random.Random, tally: Killings) -> None:
        self._web = SyntheticWeb(shape)
        self._shape = shape
        self._folder = into
        self._into = into / "crawl"
        self._rng = rng
        self._tally = tally
        self._kills = self._in_flight = 0
        self._dns = free_udp_port()
        # Compiled once, not at each of many starts.
        self._environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(into.parent / "compiled")}
        self._environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def through(self, kinds: Iterator[str], kills: int) -> None:
        """Dies of each of `kinds` ("instant", "parser", or a point) until it ends or there were enough."""
        log = self._folder / "server.log"
        zone = dns_server.zone_of(self._web.addresses())
        with server.running(self._shape, log), dns_server.running(zone, self._dns):
            ended = False
            while not ended:
                ended = self._live(next(kinds) if self._tally.kills < kills else "")
        terms = Terms(DELAY_S, kills=self._kills, repeats_allowed=self._in_flight)
        expected = reachable(self._web, self._web.seeds)
        self._tally.in_flight += self._in_flight
        self._tally.reports.append(judge(read_log(log), terms, expected, read_outputs(self._into)))

    def _live(self, kind: str) -> bool:
        """One life; whether it came to the crawl's end."""
        with self._process(kind) as process:
            if kind == "instant":
                self._kill_at_some_instant(process)
            elif kind == "parser":
                self._kill_parsers(process)
            code = process.wait(_PATIENCE_S)
        if code != -signal.SIGKILL:
            assert code == 0, (self._folder / "err").read_text()[-3000:]
            return True
        self._count_death()
        return False

    def _count_death(self) -> None:
        self._kills += 1
        self._tally.kills += 1
        self._in_flight += in_flight(self._into / "state.sqlite")

    @contextmanager
    def _process(self, kind: str) -> Generator["subprocess.Popen[bytes]"]:
        """The command, in a group of its own; killed with it at the end, whatever happens."""
        command = [str(Path(sys.executable).with_name("nephila")), "crawl"]
        if kind in POINTS:
            passes = self._rng.randint(1, 2 if kind == "trim" else 12)
            command = [sys.executable, str(_ENTRY), kind, str(passes)]
        options = ["--into", str(self._into), "--delay", str(DELAY_S), "--scope", "any"]
        network = ["--allow-network", f"127.{self._shape.network}.0.0/16"]
        command += [self._web.seeds[0], *options, *network, "--dns", f"127.0.0.1:{self._dns}"]
        out = self._folder / "out"
        with out.open("wb") as lines, (self._folder / "err").open("ab") as errors:
            process = subprocess.Popen(
                [*command, "--workers", "1", "--json"],
                stdout=lines,
                stderr=errors,
                start_new_session=True,
                env=self._environment,
            )
            try:
                self._wait_for_opening(process, out)
                yield process
            finally:
                parsers = children(process.pid)
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                self._tally.orphans += still_there(parsers, within_s=3.0)

    def _wait_for_opening(self, process: "subprocess.Popen[bytes]", out: Path) -> None:
        began = time.monotonic()
        while not out.stat().st_size and process.poll() is None:
            assert time.monotonic() - began < _PATIENCE_S
            time.sleep(0.01)
        opening_s = cpu_seconds(process.pid)
        self._tally.slowest_opening_s = max(self._tally.slowest_opening_s, opening_s)

    def _kill_at_some_instant(self, process: "subprocess.Popen[bytes]") -> None:
        try:
            process.wait(self._rng.uniform(0, _LONGEST_LIFE_S))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)

    def _kill_parsers(self, process: "subprocess.Popen[bytes]") -> None:
        """Parsers alone: nothing is repeated for them, and the crawl goes on in this life."""
        for _ in range(3):
            time.sleep(self._rng.uniform(0.1, 0.8))
            for parser in children(process.pid):
                os.kill(parser, signal.SIGKILL)
                self._tally.kills += 1
        try:
            process.wait(self._rng.uniform(0, _LONGEST_LIFE_S))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)


def children(pid: int) -> list[int]:
    """Processes that a process started itself."""
    try:
        told = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    except OSError:
        return []
    return [int(child) for child in told.split()]


def cpu_seconds(pid: int) -> float:
    """User and system time of a process; 0 when it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def still_there(pids: list[int], within_s: float) -> int:
    """How many of the processes have not ended by then."""
    until = time.monotonic() + within_s
    while pids and time.monotonic() < until:
        time.sleep(0.02)
        pids = [pid for pid in pids if _runs(pid)]
    return len(pids)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def killed_crawls(
    kinds: Sequence[str], kills: int, into: Path, seed: int, network: int
) -> Killings:
    """Dies of `kinds` in turn, again and again, on as many crawls as it takes."""
    rng, tally = random.Random(seed), Killings()
    endless = cycle(kinds)
    number = 0
    while tally.kills < kills:
        number += 1
        folder = into / str(number)
        folder.mkdir(parents=True)
        shape = _shape(seed * 1000 + number, network)
        KilledCrawl(shape, folder, rng, tally).through(endless, kills)
    return tally


def in_two_lanes(kinds: Sequence[str], kills: int, into: Path, seed: int, network: int) -> Killings:
    """The same with two crawls at a time, on `network` and the next one: a crawl mostly waits."""

    def lane(number: int) -> Killings:
        # The second lane begins half-way, so that few kills meet every kind too.
        turned = [*kinds[len(kinds) // 2 :], *kinds[: len(kinds) // 2]] if number else kinds
        share = kills // 2 + (kills % 2 if number else 0)
        return killed_crawls(turned, share, into / str(number), 2 * seed + number, network + number)

    with ThreadPoolExecutor(2) as lanes:
        return Killings.together(lanes.map(lane, range(2)))


def _shape(seed: int, network: int) -> WebShape:
    """Twenty sites of two hosts with a few pages each: a crawl of ten seconds or so."""
    return WebShape(
        seed=seed,
        hosts=40,
        pages_per_host=3,
        words_per_page=60,
        network=network,
        port=free_tcp_port(),
        failing=0,
        resets=0,
    )
