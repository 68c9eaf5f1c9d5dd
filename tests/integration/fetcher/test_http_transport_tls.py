"""TLS: names and chains are verified, SNI and Host come from the name, never from the address."""

import asyncio
import ssl
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvloop
from nephila_fetcher import HttpTransport, tls_context
from nephila_fetcher.exchange import TlsFailed

_OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"


def _openssl(folder: Path, *arguments: str) -> None:
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True, timeout=60)


def _certificate(folder: Path, name: str, names: str, days: str = "2") -> None:
    """A key and a certificate for `names`, signed by the authority in `folder`."""
    _openssl(
        folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
        "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}",
        "-addext", f"subjectAltName={names}",
    )  # fmt: skip
    _openssl(
        folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
        "-CAcreateserial", "-out", f"{name}.pem", "-days", days, "-copy_extensions", "copy",
    )  # fmt: skip


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with ca.pem, and certificates good, of another name, expired and self-signed."""
    folder = tmp_path_factory.mktemp("authority")
    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes")
    _openssl(
        folder, "req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
        "-subj", "/CN=Test Authority", "-addext", "basicConstraints=critical,CA:TRUE",
        "-addext", "keyUsage=critical,keyCertSign",
    )  # fmt: skip
    _certificate(folder, "good", "DNS:a.test,IP:127.0.0.1")
    _certificate(folder, "other", "DNS:other.test")
    _certificate(folder, "expired", "DNS:a.test", days="-1")
    _openssl(
        folder, "req", "-x509", *curve, "-keyout", "selfsigned.key", "-out", "selfsigned.pem",
        "-days", "2", "-subj", "/CN=a.test", "-addext", "subjectAltName=DNS:a.test",
    )  # fmt: skip
    return folder


def _server_side(authority: Path, name: str) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(authority / f"{name}.pem", authority / f"{name}.key")
    context.set_alpn_protocols(["h2", "http/1.1"])
    return context


@pytest.fixture(params=["asyncio", "uvloop"])
def run(request: pytest.FixtureRequest, authority: Path) -> Any:
    def runner(scenario: Callable[[HttpTransport], Awaitable[None]]) -> None:
        async def main() -> None:
            transport = HttpTransport(tls_context(authority / "ca.pem"))
            try:
                await scenario(transport)
            finally:
                await transport.aclose()
                await asyncio.sleep(0.05)

        factory = asyncio.new_event_loop if request.param == "asyncio" else uvloop.new_event_loop
        with asyncio.Runner(loop_factory=factory) as loop:
            loop.run(main())

    return runner


async def _answering(visit: Any) -> None:
    while True:
        await visit.request()
        await visit.send(_OK)


def test_a_verified_connection_is_kept_and_speaks_http_1_1(
    run: Any, tools: Any, authority: Path
) -> None:
    seen: list[tuple[str | None, str | None, bytes]] = []
    context = _server_side(authority, "good")

    def note_name(socket: ssl.SSLObject, name: str, _context: ssl.SSLContext) -> None:
        socket.asked_name = name  # type: ignore[attr-defined]

    context.sni_callback = note_name  # pyright: ignore[reportAttributeAccessIssue]

    async def behaviour(visit: Any) -> None:
        while True:
            head = await visit.request()
            side = visit.writer.get_extra_info("ssl_object")
            name = getattr(side, "asked_name", None)
            seen.append((name, side.selected_alpn_protocol(), head.split(b"\r\n")[1]))
            await visit.send(_OK)

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour, context) as server:
            to = tools.destination(server.port, scheme="https")
            for _ in range(3):
                answer = await tools.get(transport, to)
                assert (answer.status, answer.body) == (200, b"hi")
            assert server.connections == 1
            host = b"Host: a.test:%d" % server.port
            assert seen == [("a.test", "http/1.1", host)] * 3

    run(scenario)


@pytest.mark.parametrize("certificate", ["other", "expired", "selfsigned"])
def test_a_certificate_that_does_not_hold_is_refused(
    run: Any, tools: Any, authority: Path, certificate: str
) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_answering, _server_side(authority, certificate)) as server:
            with pytest.raises(TlsFailed):
                await tools.get(transport, tools.destination(server.port, scheme="https"))

    run(scenario)


def test_an_address_is_verified_as_an_address(run: Any, tools: Any, authority: Path) -> None:
    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_answering, _server_side(authority, "good")) as server:
            to = tools.destination(server.port, "127.0.0.1", "https")
            assert (await tools.get(transport, to)).status == 200

    run(scenario)


def test_tls_1_1_is_refused(run: Any, tools: Any, authority: Path) -> None:
    context = _server_side(authority, "good")
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        context.minimum_version = ssl.TLSVersion.TLSv1
    with pytest.warns(DeprecationWarning, match="TLSv1_1"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(_answering, context) as server:
            with pytest.raises(httpx.ConnectError):
                await tools.get(transport, tools.destination(server.port, scheme="https"))

    run(scenario)


def test_plain_http_on_the_tls_port_is_a_tls_error(run: Any, tools: Any) -> None:
    async def behaviour(visit: Any) -> None:
        await visit.send(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        await visit.gone()

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            with pytest.raises(TlsFailed):
                await tools.get(transport, tools.destination(server.port, scheme="https"))

    run(scenario)


def test_a_handshake_that_never_ends_is_a_connect_timeout(run: Any, tools: Any) -> None:
    async def behaviour(visit: Any) -> None:
        await visit.gone()

    async def scenario(transport: HttpTransport) -> None:
        async with tools.raw_server(behaviour) as server:
            to = tools.destination(server.port, scheme="https")
            with pytest.raises(httpx.ConnectTimeout):
                await tools.get(transport, to, within=tools.limits(connect=0.3))

    run(scenario)
