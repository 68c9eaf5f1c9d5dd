"""One GET: resolve the name, judge its addresses, wait for the host's turn, send, receive."""

from dataclasses import dataclass
from datetime import timedelta

import httpx
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime import Clock
from nephila_urls import CanonicalUrl, host_of, path_of, scheme_of

from nephila_fetcher.address_guard import AddressGuard
from nephila_fetcher.dns_resolver import DnsFailed, NoSuchHost, Resolver, split_host
from nephila_fetcher.exchange import (
    Answer,
    Destination,
    GetRequest,
    Limits,
    StaleConnection,
    TlsFailed,
    exchange,
)
from nephila_fetcher.host_turns import HostTurns
from nephila_fetcher.outcome import of_failure

Field = tuple[bytes, bytes]


class NotAnswered(Exception):
    """No answer, for `reason`. When `wait` is not zero, not to be tried again before it."""

    def __init__(self, reason: Reason, wait: timedelta = timedelta()) -> None:
        super().__init__(Reason.Name(reason))
        self.reason = reason
        self.wait = wait


@dataclass(slots=True)
class Trail:
    """What has been done under one lease so far, known also when it is cut short."""

    request_sent: bool = False
    sent_at_wall_ms: int = 0
    elapsed: float = 0.0


class PoliteGet:
    """The only way to the network. Every hop of every kind goes through it, so the guard sees all."""

    def __init__(
        self,
        transport: httpx.AsyncBaseTransport,
        resolver: Resolver,
        guard: AddressGuard,
        turns: HostTurns,
        clock: Clock,
    ) -> None:
        self._transport = transport
        self._resolver = resolver
        self._guard = guard
        self._turns = turns
        self._clock = clock

    def vouch(self, host: str) -> None:
        """The host's time has come by the frontier's word, whoever may have asked it before."""
        self._turns.vouch(host)

    async def destination(self, url: CanonicalUrl) -> Destination:
        """Where to connect for `url`. Raises NotAnswered: no such host, DNS failed, or forbidden.

        A host with a forbidden address among its answers is still reached at the others, never at
        that one.
        """
        host = host_of(url)
        scheme = scheme_of(url)
        name, port = split_host(host)
        try:
            resolved = await self._resolver.resolve(name)
        except NoSuchHost as absent:
            raise NotAnswered(Reason.REASON_NO_SUCH_HOST) from absent
        except DnsFailed as failed:
            wait = timedelta(seconds=failed.remembered)
            raise NotAnswered(Reason.REASON_DNS_FAILED, wait) from failed
        permitted = self._guard.permitted(resolved.addresses)
        if not permitted:
            raise NotAnswered(Reason.REASON_ADDRESS_FORBIDDEN)
        port = port or (443 if scheme == "https" else 80)
        return Destination(scheme, host, name, port, permitted)

    async def get(
        self,
        url: CanonicalUrl,
        fields: tuple[Field, ...],
        limits: Limits,
        delay: float,
        trail: Trail,
    ) -> Answer:
        """The answer, whole or cut. `fields` do not hold Host. Raises NotAnswered."""
        destination = await self.destination(url)
        host = destination.host
        headers = httpx.Headers([(b"Host", host.encode()), *fields])
        request = GetRequest(url, path_of(url).encode(), destination, headers, limits)
        try:
            try:
                return await self._send(request, host, delay, trail)
            except StaleConnection:
                # The server closed just as we asked: nobody's fault, once more after the delay.
                return await self._send(request, host, delay, trail)
        except httpx.TransportError as error:
            raise NotAnswered(of_failure(error)) from error

    async def _send(self, request: httpx.Request, host: str, delay: float, trail: Trail) -> Answer:
        clock = self._clock
        async with self._turns.turn(host, delay):
            sent_before, trail.request_sent = trail.request_sent, True
            trail.sent_at_wall_ms = clock.wall_ms()
            started = clock.now()
            try:
                return await exchange(self._transport, request)
            except (httpx.ConnectTimeout, httpx.ConnectError) as error:
                # TLS that fails has cost the host something all the same.
                trail.request_sent = sent_before or isinstance(error, TlsFailed)
                raise
            finally:
                trail.elapsed = clock.now() - started
