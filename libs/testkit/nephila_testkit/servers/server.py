"""One server in one folder: installed, started, waited for, stopped, killed.

What differs between servers is a value, `Kind`; what is alike is here.
"""

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from nephila_testkit.free_ports import is_free, lasting_tcp_ports
from nephila_testkit.servers.daemon import Command, Daemon, Memory
from nephila_testkit.servers.locks import locked

HOST = "127.0.0.1"
_PAUSE_S = 0.05


class NotReady(Exception):
    """A server did not come up; the message ends with the last lines of its log."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server lives: its folder and its ports, that for clients first."""

    directory: Path
    ports: Sequence[int]

    @property
    def address(self) -> str:
        """host:port for clients."""
        return f"{HOST}:{self.ports[0]}"

    @property
    def process(self) -> Daemon:
        return Daemon(self.directory)


@dataclass(frozen=True, slots=True)
class Kind:
    """What makes one kind of server."""

    name: str
    # How many ports it listens on.
    ports: int
    # Downloads what it is made of, once a user. Raises NotInstalled with a line that says what to do.
    install: Callable[[], object]
    # Writes its settings and says how to run it.
    command: Callable[[Place], Command]
    # Whether it answers; asked again and again.
    is_ready: Callable[[Place], bool]
    # How long a start may take on a busy machine, in seconds.
    starts_within_s: float
    # How long it may take to end by itself, in seconds; then it is killed.
    ends_within_s: float


class Server:
    """A server whose data, settings, ports, log and pid lie in `directory`; inside `with` it runs.

    Its ports stay the same from start to start: `port` is that for clients, a free one by default.
    Any process may find, stop or start it again by the folder alone.
    """

    def __init__(self, kind: Kind, directory: Path, port: int | None = None) -> None:
        self._kind = kind
        self._wanted = port
        self.directory = directory.resolve()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def name(self) -> str:
        return self._kind.name

    @property
    def address(self) -> str:
        """host:port for clients, from the first start on. Raises NotReady before."""
        ports = self._known_ports()
        if not ports:
            raise NotReady(f"{self.name} was never started in {self.directory}")
        return Place(self.directory, ports).address

    @property
    def pid(self) -> int | None:
        """None when it does not run."""
        return self._process.pid

    @property
    def log(self) -> Path:
        """What it said since it was started last; `log.1` is of the time before."""
        return self._process.log

    def install(self) -> None:
        """Costs nothing the second time. Raises NotInstalled."""
        self._kind.install()

    def start(self) -> bool:
        """Installs, launches and waits; whether it did not run before."""
        self.install()
        launched = self.launch()
        self.wait()
        return launched

    def launch(self) -> bool:
        """Starts the process, which is not ready yet; false when it runs already.

        Raises NotReady when a port is taken.
        """
        with locked(self.directory / "lock"):
            if self.pid:
                return False
            place = Place(self.directory, self._settled_ports())
            taken = [port for port in place.ports if not is_free(port)]
            if taken:
                raise NotReady(f"{self.name}: another program listens on port {taken[0]}")
            self._process.spawn(self._kind.command(place))
            return True

    def wait(self) -> None:
        """Returns once it answers. Raises NotReady when it ended or takes too long."""
        place = Place(self.directory, self._known_ports())
        waits_until = time.monotonic() + self._kind.starts_within_s
        while True:
            if self.pid is None:
                raise NotReady(f"{self.name} ended:\n{self._process.last_lines()}")
            if self._kind.is_ready(place):
                return
            if time.monotonic() > waits_until:
                patience_s = self._kind.starts_within_s
                said = self._process.last_lines()
                raise NotReady(f"{self.name} is not ready after {patience_s:.0f} s:\n{said}")
            time.sleep(_PAUSE_S)

    def stop(self) -> bool:
        """Ends it, its data kept; whether it ran."""
        return self._process.end(self._kind.ends_within_s)

    def kill(self) -> bool:
        """Ends it as `kill -9` does; whether it ran."""
        return self._process.end(0)

    def memory(self) -> Memory | None:
        """None when it does not run."""
        return self._process.memory()

    @property
    def _process(self) -> Daemon:
        return Daemon(self.directory)

    def _known_ports(self) -> list[int]:
        """Empty before the first start."""
        try:
            return json.loads((self.directory / "ports.json").read_text())
        except FileNotFoundError:
            return []

    def _settled_ports(self) -> list[int]:
        ports = self._known_ports() or lasting_tcp_ports(self._kind.ports)
        if self._wanted is not None:
            ports[0] = self._wanted
        (self.directory / "ports.json").write_text(json.dumps(ports))
        return ports
