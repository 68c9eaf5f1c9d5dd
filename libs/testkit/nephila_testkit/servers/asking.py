"""The plainest question to a server: does it answer?"""

import http.client
import socket

from nephila_testkit.servers.server import HOST

_PATIENCE_S = 1.0


def http_status(port: int, target: str) -> int:
    """The status of a GET; 0 without an answer."""
    asking = http.client.HTTPConnection(HOST, port, timeout=_PATIENCE_S)
    try:
        asking.request("GET", target)
        return asking.getresponse().status
    except (OSError, http.client.HTTPException):
        return 0
    finally:
        asking.close()


def answer(port: int, question: bytes) -> bytes:
    """The first bytes that come back; none without an answer."""
    try:
        with socket.create_connection((HOST, port), _PATIENCE_S) as asking:
            asking.sendall(question)
            return asking.recv(1024)
    except OSError:
        return b""
