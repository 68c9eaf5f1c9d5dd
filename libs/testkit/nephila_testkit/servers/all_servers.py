"""The five together."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from nephila_testkit.servers.cassandra import CASSANDRA
from nephila_testkit.servers.kafka import KAFKA
from nephila_testkit.servers.opensearch import OPENSEARCH
from nephila_testkit.servers.redis_bloom import REDIS
from nephila_testkit.servers.seaweedfs import S3
from nephila_testkit.servers.server import Server

KINDS = (KAFKA, CASSANDRA, REDIS, S3, OPENSEARCH)
NAMES = tuple(kind.name for kind in KINDS)


@dataclass(frozen=True, slots=True)
class Servers:
    """One of each kind, each in its own folder below one directory; none runs until it is started."""

    kafka: Server
    cassandra: Server
    redis: Server
    s3: Server
    opensearch: Server

    @classmethod
    def at(cls, directory: Path, ports: Mapping[str, int] | None = None) -> Self:
        """`ports` names the ports for clients; those that it leaves out are free ones."""
        wanted = ports or {}
        return cls(*(Server(kind, directory / kind.name, wanted.get(kind.name)) for kind in KINDS))

    def named(self, names: Sequence[str] = ()) -> list[Server]:
        """Those named, in our order; all by default. KeyError for a name that is none."""
        by_name = {server.name: server for server in self._all()}
        wanted = {by_name[name].name for name in names or NAMES}
        return [server for server in self._all() if server.name in wanted]

    def start(self, names: Sequence[str] = ()) -> None:
        """Those named, all by default: side by side, since each waits more than it computes.

        Raises NotInstalled or NotReady.
        """
        chosen = self.named(names)
        for server in chosen:
            server.install()
        for server in chosen:
            server.launch()
        for server in chosen:
            server.wait()

    def stop(self, names: Sequence[str] = ()) -> None:
        with ThreadPoolExecutor() as threads:
            list(threads.map(Server.stop, self.named(names)))

    def _all(self) -> tuple[Server, ...]:
        return (self.kafka, self.cassandra, self.redis, self.s3, self.opensearch)
