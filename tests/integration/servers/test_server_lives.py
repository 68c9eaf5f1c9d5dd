"""Each kind of server through all of its life, asked by its own client library."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from nephila_testkit.servers import NAMES, Server, session_of
from server_clients import CONVERSATIONS, COUNT

GIB = 1 << 30
# All together stay below 5 GiB.
LARGEST = {"kafka": 1.2, "cassandra": 1.5, "redis": 0.7, "s3": 0.6, "opensearch": 1.0}


# Downloads, when nobody has installed it before.
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", NAMES)
def test_a_server_keeps_its_data_through_a_kill_and_leaves_no_process(
    name: str, own_server: Callable[[str], Server]
) -> None:
    server, conversation = own_server(name), CONVERSATIONS[name]

    assert server.start()
    first, address = server.pid, server.address
    assert first is not None
    conversation.write(address)
    assert server.kill()
    assert (server.pid, session_of(first)) == (None, [])

    assert server.start()
    assert server.address == address
    assert conversation.read(address) == COUNT
    second, memory = server.pid, server.memory()
    assert second is not None
    assert memory is not None
    assert memory.peak < LARGEST[name] * GIB
    assert _listens_on_loopback_alone(second)

    asked_at = time.monotonic()
    assert server.stop()
    assert time.monotonic() - asked_at < 20
    assert (server.pid, session_of(second)) == (None, [])


def _listens_on_loopback_alone(pid: int) -> bool:
    """By /proc/net/tcp and tcp6: state 0A listens, an address is in hexadecimal."""
    sockets: set[str] = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # Files come and go meanwhile.
            sockets.add(str(link.readlink()))
    listening: list[str] = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:
                listening.append(fields[1].partition(":")[0])
    return bool(listening) and all(address.endswith("0100007F") for address in listening)
