"""Ports that nobody uses at the moment of asking."""

import secrets
import socket
from pathlib import Path

_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")
_LOWEST = 20_000


def free_tcp_port() -> int:
    return _free(socket.SOCK_STREAM)


def free_udp_port() -> int:
    return _free(socket.SOCK_DGRAM)


def _free(kind: socket.SocketKind) -> int:
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def lasting_tcp_ports(count: int) -> list[int]:
    """Free ports for servers that go away and come back: no outgoing connection takes one meanwhile.

    They lie below the range from which the system serves outgoing connections.
    """
    above = min(int(_EPHEMERAL.read_text().split()[0]), 32_768)
    found: list[int] = []
    while len(found) < count:
        port = _LOWEST + secrets.randbelow(above - _LOWEST)
        if port not in found and is_free(port):
            found.append(port)
    return found


def is_free(port: int) -> bool:
    """Whether a server could listen on 127.0.0.1 now; connections of its forerunner do not count."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
