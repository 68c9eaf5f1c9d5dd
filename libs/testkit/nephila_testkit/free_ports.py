"""Ports that nobody uses at the moment of asking."""

import socket


def free_tcp_port() -> int:
    return _free(socket.SOCK_STREAM)


def free_udp_port() -> int:
    return _free(socket.SOCK_DGRAM)


def _free(kind: socket.SocketKind) -> int:
    with socket.socket(socket.AF_INET, kind) as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]
