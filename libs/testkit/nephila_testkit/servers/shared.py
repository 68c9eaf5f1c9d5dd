"""Servers of one test run: each is started by the worker that needs it first, and used by all.

The run is known by the pid of its main process. When that ends, however it ends, a guard stops what
is left of its servers.
"""

import os
import secrets
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nephila_testkit.servers.all_servers import Servers
from nephila_testkit.servers.daemon import Command, Daemon
from nephila_testkit.servers.locks import locked


@dataclass(frozen=True, slots=True)
class SharedServers:
    """The servers of the run whose main process is `main_pid`; their folders lie in `directory`."""

    directory: Path
    main_pid: int

    @classmethod
    def of_this_process(cls) -> Self:
        """A run of its own. Nothing is made on disk before the first server is asked for."""
        name = f"nephila-servers-{os.getpid()}-{secrets.token_hex(4)}"
        return cls(Path(tempfile.gettempdir()) / name, os.getpid())

    def address(self, name: str) -> str:
        """Of the server of that name, started when no worker has done so yet.

        Raises NotInstalled or NotReady.
        """
        self._guard()
        (server,) = Servers.at(self.directory).named([name])
        server.start()
        return server.address

    def end(self, keep_logs: bool) -> None:
        """Stops all; of their folders only the logs may stay."""
        if not self.directory.exists():
            return
        Daemon(self.directory / "guard").end(0)
        Servers.at(self.directory).stop()
        if not keep_logs:
            shutil.rmtree(self.directory)
            return
        for server in Servers.at(self.directory).named():
            for entry in server.directory.glob("*"):
                if entry.is_dir():
                    shutil.rmtree(entry)

    def _guard(self) -> None:
        with locked(self.directory / "lock"):
            guard = Daemon(self.directory / "guard")
            if guard.pid is None:
                module = "nephila_testkit.servers.guard"
                told = [str(self.directory), str(self.main_pid)]
                guard.spawn(Command([sys.executable, "-m", module, *told]))
