"""The transport against servers that keep, bend and break HTTP."""

import asyncio
import socket
import ssl
import struct
import time
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest
import uvloop
from nephila_contracts.v1.page_pb2 import Truncation
from nephila_fetcher import HttpTransport
from nephila_fetcher.exchange import ConnectionRefused, StaleConnection

_OK = b"HTTP/1.1 200 OK\r\n"
Loop = Callable[[], asyncio.AbstractEventLoop]


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest) -> Any:
    """Runs a coroutine function with a fresh transport on each kind of event loop."""
    loops: dict[str, Loop] = {
        "asyncio": asyncio.new_event_loop,
        "uvloop": uvloop.new_event_loop,
    }

    def runner(scenario: Callable[[HttpTransport], Awaitable[Any]], **options: Any) -> Any:
        async def main() -> Any:
            transport = HttpTransport(ssl.create_default_context(), **options)
            try:
                return await scenario(transport)
            finally:
                await transport.aclose()

        with asyncio.Runner(loop_factory=loops[request.param]) as loop:
            return loop.run(main())

    return runner


def _always(answer: bytes) -> Any:
    """Answers every request of a connection alike."""

    async def behaviour(visit: Any) -> None:
        while True:
            await visit.request()
            await visit.send(answer)

    return behaviour


def _once(answer: bytes) -> Any:
    """Answers one request and closes."""

    async def behaviour(visit: Any) -> None:
        await visit.request()
        await visit.send(answer)
        visit.writer.close()

    return behaviour


def test_one_connection_of_a_host_serves_many_requests(run: Any, tools: Any) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_always(_OK + b"Content-Length: 5\r\n\r\nhello")) as server:
            to = tools.destination(server.port)
            for _ in range(5):
                answer = await tools.get(transport, to)
                assert (answer.status, answer.body, answer.ip) == (200, b"hello", "127.0.0.1")
            assert server.connections == 1

    run(scenario)


def test_heads_are_kept_as_they_went_over_the_wire(run: Any, tools: Any) -> None:
    head = _OK + b"content-LENGTH:2\r\nX-Odd:  \xe9 \r\n\r\n"
    seen: list[bytes] = []

    async def behaviour(visit: Any) -> None:
        seen.append(await visit.request())
        await visit.send(head + b"hi")

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            target = b"/a%20b/%C3%A9?q=1&r=[x]|'"
            answer = await tools.get(transport, tools.destination(server.port), target)
            assert answer.response_head == head
            assert [answer.request_head] == seen
            assert seen[0].startswith(b"GET " + target + b" HTTP/1.1\r\nHost: a.test:")

    run(scenario)


def test_chunks_are_put_together_and_the_connection_is_kept(run: Any, tools: Any) -> None:
    async def behaviour(visit: Any) -> None:
        while True:
            await visit.request()
            await visit.send(_OK + b"Transfer-Encoding: chunked\r\n\r\n")
            for piece in (b"he", b"l", b"lo"):
                await visit.send(b"%x;ext=1\r\n%b\r\n" % (len(piece), piece))
                await asyncio.sleep(0.01)
            await visit.send(b"0\r\nTrailer: x\r\n\r\n")

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            for _ in range(2):
                answer = await tools.get(transport, tools.destination(server.port))
                assert answer.body == b"hello"
                assert answer.truncation == Truncation.TRUNCATION_UNSPECIFIED
            assert server.connections == 1

    run(scenario)


def test_a_body_up_to_the_close_is_whole_and_the_next_connects_anew(run: Any, tools: Any) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_once(_OK + b"\r\nhello")) as server:
            for _ in range(2):
                answer = await tools.get(transport, tools.destination(server.port))
                assert answer.body == b"hello"
                assert answer.truncation == Truncation.TRUNCATION_UNSPECIFIED
            assert server.connections == 2

    run(scenario)


@pytest.mark.parametrize(
    "answer",
    [
        _OK + b"Content-Length: 100\r\n\r\nhi",
        _OK + b"Transfer-Encoding: chunked\r\n\r\n64\r\nhi",
        _OK + b"Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n",
    ],
)
def test_an_answer_cut_by_a_close_is_marked(run: Any, tools: Any, answer: bytes) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_once(answer)) as server:
            received = await tools.get(transport, tools.destination(server.port))
            assert received.body == b"hi"
            assert received.truncation == Truncation.TRUNCATION_DISCONNECT

    run(scenario)


def test_a_reset_amid_a_body_without_length_is_marked(run: Any, tools: Any) -> None:
    async def behaviour(visit: Any) -> None:
        await visit.request()
        await visit.send(_OK + b"\r\nhalf")
        await asyncio.sleep(0.1)
        # No lingering makes the kernel send RST.
        raw = visit.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        visit.writer.transport.abort()

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            received = await tools.get(transport, tools.destination(server.port))
            assert received.truncation == Truncation.TRUNCATION_DISCONNECT

    run(scenario)


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        b"Content-Length: 2\r\nContent-Length: 3\r\n",
        b"Transfer-Encoding: gzip\r\n",
    ],
)
def test_framing_in_doubt_is_an_error_and_the_connection_is_dropped(
    run: Any, tools: Any, head: bytes
) -> None:
    closed: list[bool] = []

    async def behaviour(visit: Any) -> None:
        await visit.request()
        await visit.send(_OK + head + b"\r\n2\r\nhi\r\n0\r\n\r\n")
        await visit.gone()
        closed.append(True)

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            with pytest.raises(httpx.RemoteProtocolError):
                await tools.get(transport, tools.destination(server.port))
            await asyncio.sleep(0.1)
            assert closed == [True]

    run(scenario)


def test_surplus_bytes_never_become_the_next_answer(run: Any, tools: Any) -> None:
    evil = _OK + b"Content-Length: 4\r\n\r\nevil"

    async def scenario(transport: HttpTransport) -> None:
        answer = _OK + b"Content-Length: 2\r\n\r\nhi" + evil
        async with tools.raw_server(_always(answer)) as server:
            for _ in range(3):
                received = await tools.get(transport, tools.destination(server.port))
                assert received.body == b"hi"
            assert server.connections == 3

    run(scenario)


def test_an_answer_sent_before_the_question_is_never_used(run: Any, tools: Any) -> None:
    """A poisoned keep-alive: the server answers a request that was never made."""

    async def behaviour(visit: Any) -> None:
        await visit.request()
        await visit.send(_OK + b"Content-Length: 2\r\n\r\nhi")
        await asyncio.sleep(0.05)
        await visit.send(_OK + b"Content-Length: 4\r\n\r\nevil")
        await visit.request()

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            to = tools.destination(server.port)
            await tools.get(transport, to)
            await asyncio.sleep(0.2)
            assert (await tools.get(transport, to)).body == b"hi"
            assert server.connections == 2

    run(scenario)


def test_an_endless_body_ends_at_the_limit(run: Any, tools: Any) -> None:
    sent: list[int] = [0]

    async def behaviour(visit: Any) -> None:
        await visit.request()
        await visit.send(_OK + b"Content-Type: text/html\r\n\r\n")
        while True:
            await visit.send(b"x" * 65_536)
            sent[0] += 65_536

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            received = await tools.get(
                transport, tools.destination(server.port), within=tools.limits(body_bytes=500_000)
            )
            assert len(received.body) == 500_000
            assert received.truncation == Truncation.TRUNCATION_LENGTH
            # What the kernel's buffers held beside it.
            assert sent[0] < 10_000_000

    run(scenario)


def test_large_bodies_are_received_a_few_at_once_and_all_arrive(run: Any, tools: Any) -> None:
    size = 1_500_000
    body = _OK + b"Content-Length: %d\r\n\r\n" % size + b"x" * size

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_always(body)) as server:
            within = tools.limits(total=20, body_bytes=2_000_000)
            asked = [
                tools.get(transport, tools.destination(server.port, f"h{n}.test"), within=within)
                for n in range(40)
            ]
            for answer in await asyncio.gather(*asked):
                assert len(answer.body) == size
                assert answer.truncation == Truncation.TRUNCATION_UNSPECIFIED

    run(scenario)


def test_large_bodies_that_never_end_hold_up_others_no_longer_than_the_limit_of_time(
    run: Any, tools: Any
) -> None:
    async def stuck(visit: Any) -> None:
        await visit.request()
        await visit.send(_OK + b"Content-Length: 9999999\r\n\r\n" + b"x" * 1_100_000)
        await visit.gone()

    async def scenario(transport: HttpTransport) -> None:
        small = _always(_OK + b"Content-Length: 2\r\n\r\nhi")
        async with tools.raw_server(stuck) as bad, tools.raw_server(small) as good:
            within = tools.limits(total=1.5, body_bytes=2_000_000)
            asked = [
                tools.get(transport, tools.destination(bad.port, f"h{n}.test"), within=within)
                for n in range(20)
            ]
            waiting = asyncio.gather(*asked)
            await asyncio.sleep(0.3)
            assert (await tools.get(transport, tools.destination(good.port))).body == b"hi"
            for answer in await waiting:
                assert answer.truncation == Truncation.TRUNCATION_TIME
            # Every turn was given back: as many as are received at once go through again.
            ok = _OK + b"Content-Length: 1500000\r\n\r\n" + b"x" * 1_500_000
            async with tools.raw_server(_always(ok)) as server:
                for n in range(3):
                    to = tools.destination(server.port, f"h{n}.test")
                    assert len((await tools.get(transport, to, within=within)).body) == 1_500_000

    run(scenario)


@pytest.mark.parametrize("in_head", [True, False])
def test_a_slow_loris_ends_at_the_total_deadline(run: Any, tools: Any, in_head: bool) -> None:
    async def behaviour(visit: Any) -> None:
        await visit.request()
        await visit.send(_OK + (b"X: " if in_head else b"Content-Length: 9999\r\n\r\n"))
        while True:
            await visit.send(b"x")
            await asyncio.sleep(0.05)

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            to = tools.destination(server.port)
            started = time.monotonic()
            if in_head:
                with pytest.raises(httpx.ReadTimeout):
                    await tools.get(transport, to, within=tools.limits(total=0.5))
            else:
                received = await tools.get(transport, to, within=tools.limits(total=0.5))
                assert received.truncation == Truncation.TRUNCATION_TIME
                assert received.body
            assert time.monotonic() - started < 1.5

    run(scenario)


def test_a_silent_server_is_left_at_the_deadline(run: Any, tools: Any) -> None:
    async def behaviour(visit: Any) -> None:
        await visit.gone()

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            with pytest.raises(httpx.ReadTimeout):
                await tools.get(
                    transport, tools.destination(server.port), within=tools.limits(total=0.3)
                )

    run(scenario)


def test_endless_100_continue_ends(run: Any, tools: Any) -> None:
    async def behaviour(visit: Any) -> None:
        await visit.request()
        while True:
            await visit.send(b"HTTP/1.1 100 Continue\r\n\r\n")
            await asyncio.sleep(0.001)

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            with pytest.raises(httpx.RemoteProtocolError):
                await tools.get(transport, tools.destination(server.port))

    run(scenario)


@pytest.mark.parametrize(
    "bomb",
    [b"X: " + b"a" * 5_000_000, b"X: y\r\n" * 200_000, b"Set-Cookie: " + b"a" * 4000 + b"\r\n"],
)
def test_a_header_bomb_ends_at_64_kib(run: Any, tools: Any, bomb: bytes) -> None:
    async def behaviour(visit: Any) -> None:
        await visit.request()
        await visit.send(_OK)
        while True:
            await visit.send(bomb)

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            started = time.process_time()
            with pytest.raises(httpx.RemoteProtocolError):
                await tools.get(transport, tools.destination(server.port))
            assert time.process_time() - started < 1

    run(scenario)


def test_a_connection_closed_while_idle_is_stale_and_the_next_one_works(
    run: Any, tools: Any
) -> None:
    async def behaviour(visit: Any) -> None:
        await visit.request()
        await visit.send(_OK + b"Content-Length: 2\r\n\r\nhi")
        if visit.number == 1:
            # Closes at the instant of the second request.
            await visit.request()
            visit.writer.transport.abort()
        await visit.request()

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            to = tools.destination(server.port)
            await tools.get(transport, to)
            with pytest.raises(StaleConnection):
                await tools.get(transport, to)
            assert (await tools.get(transport, to)).body == b"hi"

    run(scenario)


def test_a_kept_connection_that_closed_in_time_costs_nothing(run: Any, tools: Any) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_once(_OK + b"Content-Length: 2\r\n\r\nhi")) as server:
            for _ in range(3):
                await tools.get(transport, tools.destination(server.port))
                await asyncio.sleep(0.05)
            assert server.connections == 3

    run(scenario)


def test_idle_connections_are_bounded_in_number_and_age(run: Any, tools: Any) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_always(_OK + b"Content-Length: 0\r\n\r\n")) as server:
            first = tools.destination(server.port, "first.test")
            for name in ("first.test", "second.test", "third.test", "first.test"):
                await tools.get(transport, tools.destination(server.port, name))
            assert server.connections == 4
            await asyncio.sleep(0.4)
            await tools.get(transport, first)
            assert server.connections == 5

    run(scenario, idle_connections=2, idle_timeout=timedelta(seconds=0.3))


def test_a_refused_port_is_told(run: Any, tools: Any) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_once(b"")) as server:
            port = server.port
        with pytest.raises(ConnectionRefused):
            await tools.get(transport, tools.destination(port))

    run(scenario)


def test_the_next_address_is_tried_when_one_refuses(run: Any, tools: Any) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_once(_OK + b"\r\nhi"), address="127.0.0.2") as server:
            to = tools.destination(server.port)
            to = type(to)(to.scheme, to.host, to.name, to.port, ("127.0.0.1", "127.0.0.2"))
            assert (await tools.get(transport, to)).ip == "127.0.0.2"

    run(scenario)


def test_a_kept_connection_to_an_address_no_longer_permitted_is_not_used(
    run: Any, tools: Any
) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(
            _always(_OK + b"Content-Length: 0\r\n\r\n"), address="0.0.0.0"
        ) as server:
            to = tools.destination(server.port)
            await tools.get(transport, to)
            moved = type(to)(to.scheme, to.host, to.name, to.port, ("127.0.0.3",))
            assert (await tools.get(transport, moved)).ip == "127.0.0.3"
            assert server.connections == 2

    run(scenario)


@pytest.mark.parametrize("target", [b"/a\r\nX-Evil: 1", b"/a b", b"/a\n"])
def test_a_target_cannot_bring_its_own_lines(run: Any, tools: Any, target: bytes) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_once(_OK + b"\r\nhi")) as server:
            with pytest.raises(httpx.LocalProtocolError):
                await tools.get(transport, tools.destination(server.port), target)
            assert server.connections == 0

    run(scenario)


def test_a_cancelled_request_closes_its_connection(run: Any, tools: Any) -> None:
    async def scenario(transport: HttpTransport) -> None:
        gone = asyncio.Event()

        async def behaviour(visit: Any) -> None:
            await visit.request()
            await visit.gone()
            gone.set()

        async with tools.raw_server(behaviour) as server:
            asking = asyncio.create_task(tools.get(transport, tools.destination(server.port)))
            await asyncio.sleep(0.1)
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
            await asyncio.wait_for(gone.wait(), 2)

    run(scenario)
