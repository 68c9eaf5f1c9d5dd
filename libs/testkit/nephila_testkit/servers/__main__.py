"""`python -m nephila_testkit.servers install|start|stop|status DIR [kafka cassandra redis s3 opensearch]`."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from nephila_testkit.debian_packages import NotInstalled
from nephila_testkit.servers.all_servers import NAMES, Servers
from nephila_testkit.servers.server import NotReady, Server


def main(arguments: Sequence[str] | None = None) -> int:
    """0; 1 when something is missing or does not start; 3 when `status` finds one that is down."""
    parser = argparse.ArgumentParser(prog="python -m nephila_testkit.servers")
    parser.add_argument("command", choices=("install", "start", "stop", "status"))
    parser.add_argument("directory", type=Path, help="for data, settings, logs and pid files")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {' '.join(NAMES)}; all")
    parser.add_argument("--port", action="append", default=[], type=_port, metavar="NAME=PORT")
    given = parser.parse_args(arguments)
    unknown = {*given.names, *(name for name, _ in given.port)} - set(NAMES)
    if unknown:
        parser.error(f"no server is named {', '.join(sorted(unknown))}")
    try:
        return _run(given.command, Servers.at(given.directory, dict(given.port)), given.names)
    except (NotInstalled, NotReady) as fault:
        print(fault, file=sys.stderr)
        return 1


def _run(command: str, servers: Servers, names: Sequence[str]) -> int:
    if command == "install":
        for server in servers.named(names):
            server.install()
    elif command == "start":
        servers.start(names)
        _tell(servers.named(names))
    elif command == "stop":
        servers.stop(names)
    else:
        _tell(servers.named(names))
        return 0 if all(server.pid for server in servers.named(names)) else 3
    return 0


def _tell(servers: Sequence[Server]) -> None:
    """A line each, and the options by which pytest takes those that run."""
    total_mb = 0
    for server in servers:
        memory = server.memory()
        if memory is None:
            print(f"{server.name:<10} down")
            continue
        total_mb += memory.now // 1_000_000
        told = f"{memory.now / 1e6:.0f} MB, {memory.peak / 1e6:.0f} at most"
        print(f"{server.name:<10} {server.address:<16} pid {server.pid:<8} {told}")
    running = [server for server in servers if server.pid]
    if running:
        print(f"{'together':<10} {total_mb} MB")
        print(" ".join(f"--{server.name}={server.address}" for server in running))


def _port(told: str) -> tuple[str, int]:
    name, _, port = told.partition("=")
    return name, int(port)


if __name__ == "__main__":
    sys.exit(main())
