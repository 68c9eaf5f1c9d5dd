"""A parser process: reads jobs from its standard input, a socket, and answers on it, until the other end
closes.

It dies with its parent, by the socket's end and by the kernel's signal, whichever comes first; it ignores
Ctrl-C, since its parent drains. Its limits are the kernel's, so that no loop in C escapes them.
Run by `parser_process` as `python -m nephila_parser.worker_process PARENT_PID`.
"""

import ctypes
import gc
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from typing import BinaryIO

import msgspec
from nephila_contracts.v1.reason_pb2 import REASON_PARSER_CRASHED

from nephila_parser.content_types import parse_page
from nephila_parser.frames import HEAD, LONGEST, framed
from nephila_parser.page import ParsedPage, ParseJob, ParseLimits

_PR_SET_PDEATHSIG = 1
_OPEN_FILES = 64


def main(parent_pid: int) -> None:
    """Serves jobs until the parent goes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _die_with(parent_pid)
    with (
        # A parent that goes without reading its answers resets the connection.
        suppress(ConnectionError),
        socket.socket(fileno=os.dup(0)) as pipe,
        open(0, "rb", buffering=1 << 18) as incoming,
    ):
        first = _read_frame(incoming)
        if first is None:
            return
        limits = msgspec.msgpack.decode(first, type=ParseLimits)
        _limit_process(limits)
        # Ready: a process that dies from here on has died of a page.
        pipe.sendall(framed(b""))
        _serve(pipe, incoming, limits)


def _serve(pipe: socket.socket, incoming: BinaryIO, limits: ParseLimits) -> None:
    decode = msgspec.msgpack.Decoder(list[ParseJob]).decode
    encode = msgspec.msgpack.Encoder().encode
    # Trees go by reference counts; the collector would only walk the modules again and again.
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    while (frame := _read_frame(incoming)) is not None:
        pages: list[ParsedPage] = []
        for job in decode(frame):
            _allow_cpu(limits.cpu_seconds)
            pages.append(_parsed(job, limits))
        pipe.sendall(framed(encode(pages)))


def _parsed(job: ParseJob, limits: ParseLimits) -> ParsedPage:
    try:
        return parse_page(job, limits)
    except Exception as error:
        # A bug of ours or memory at its limit: this page's fault as far as others are concerned.
        return ParsedPage(REASON_PARSER_CRASHED, fault=f"{type(error).__name__}: {error}"[:500])


def _read_frame(incoming: BinaryIO) -> bytes | None:
    """The next frame; None at the end."""
    head = incoming.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    (length,) = HEAD.unpack(head)
    if length > LONGEST:
        return None
    frame = incoming.read(length)
    return frame if len(frame) == length else None


def _die_with(parent_pid: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    # The parent may have died before the line above.
    if os.getppid() != parent_pid:
        sys.exit(0)


def _limit_process(limits: ParseLimits) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (limits.memory_bytes, limits.memory_bytes))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _allow_cpu(seconds: int) -> None:
    """Raises the limit on the process's CPU time, which counts from its start, for one more page."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(usage.ru_utime + usage.ru_stime)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    # The kernel compares whole seconds.
    resource.setrlimit(resource.RLIMIT_CPU, (spent + seconds + 1, hard))


if __name__ == "__main__":
    main(int(sys.argv[1]))
