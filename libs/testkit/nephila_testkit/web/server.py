"""The synthetic web over real sockets, in a process that outlives the crawler.

Each host listens on its own loopback address. Every event of a connection is written to the log at
once by one `write` to a file opened for appending, so killing whoever crawls loses no evidence.
"""

import argparse
import asyncio
import os
import signal
import socket
import sys
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import uvloop

from nephila_testkit.child_process import ChildProcess
from nephila_testkit.web import generated
from nephila_testkit.web.answers import answer
from nephila_testkit.web.connection import ServedConnection, ServedWeb
from nephila_testkit.web.event_log import EventLog
from nephila_testkit.web.graph import SyntheticWeb, synthetic_hosts
from nephila_testkit.web.shape import WebShape

_BACKLOG = 1024


async def serve(web: ServedWeb, addresses: list[str], port: int) -> None:
    """Serves until SIGTERM; `ready` goes to stdout once every address listens."""
    loop = asyncio.get_running_loop()
    servers = [
        await loop.create_server(
            lambda: ServedConnection(web), sock=_listening_socket(address, port)
        )
        for address in addresses
    ]
    print("ready", flush=True)
    stopped = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    await stopped.wait()
    for server in servers:
        server.close()


def _listening_socket(address: str, port: int) -> socket.socket:
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind((address, port))
    listening.listen(_BACKLOG)
    listening.setblocking(False)
    return listening


@contextmanager
def running(shape: WebShape, log: Path, *, endless: bool = False) -> Generator[ChildProcess]:
    """The web in a process of its own, listening; ended at the end."""
    command = [sys.executable, "-m", "nephila_testkit.web.server"]
    arguments = ["--shape", shape.to_json(), "--log", os.fspath(log)]
    with ChildProcess([*command, *arguments, *(["--endless"] if endless else [])]) as child:
        child.wait_for_line("ready")
        yield child


def main() -> None:
    """The command: a shape as JSON, or the common knobs one by one."""
    parser = argparse.ArgumentParser(prog="python -m nephila_testkit.web.server")
    parser.add_argument("--shape", help="a whole WebShape as JSON; other knobs are ignored then")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages-per-host", type=int, default=50)
    parser.add_argument("--port", type=int, default=8070)
    parser.add_argument("--addressing", choices=("name", "address"), default="address")
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--endless", action="store_true", help="endless pages made from the URL")
    given = parser.parse_args()
    shape = WebShape(
        seed=given.seed,
        hosts=given.hosts,
        pages_per_host=given.pages_per_host,
        port=given.port,
        addressing=given.addressing,
    )
    if given.shape:
        shape = WebShape.from_json(given.shape)
    answering = partial(answer, SyntheticWeb(shape))
    if given.endless:
        answering = partial(generated.answer, shape)
    addresses = [host.address for host in synthetic_hosts(shape)]
    with EventLog(given.log) as log:
        uvloop.run(serve(ServedWeb(answering, log), addresses, shape.port))


if __name__ == "__main__":
    main()
