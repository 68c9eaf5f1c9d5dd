"""A DNS server on loopback that can misbehave: it lies, delays, fails and rebinds as it is told."""

import argparse
import asyncio
import json
import signal
import sys
from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from enum import StrEnum

import dnslib

from nephila_testkit.child_process import ChildProcess

_TYPES = {"A": dnslib.A, "AAAA": dnslib.AAAA}


class DnsMode(StrEnum):
    """What a name answers with."""

    ADDRESSES = "addresses"
    NXDOMAIN = "nxdomain"
    SERVFAIL = "servfail"
    # No answer at all.
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class DnsName:
    """How one name behaves. IPv6 addresses answer AAAA, others A."""

    # Answers one after another, the last for ever: a name that is rebound has several.
    sequence: tuple[tuple[str, ...], ...] = ()
    mode: DnsMode = DnsMode.ADDRESSES
    ttl_s: int = 60
    delay_s: float = 0.0


Zone = Mapping[str, DnsName]


def zone_of(addresses: Mapping[str, str]) -> dict[str, DnsName]:
    """A zone in which each name has one address."""
    return {name: DnsName(((address,),)) for name, address in addresses.items()}


class DnsServer(asyncio.DatagramProtocol):
    """Answers from a zone; a name that is not in it does not exist."""

    def __init__(self, zone: Zone) -> None:
        self._zone = zone
        # Answers given so far, by name and type.
        self.asked: Counter[tuple[str, str]] = Counter()

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        try:
            query = dnslib.DNSRecord.parse(data)
        except dnslib.DNSError:
            return
        name = str(query.q.qname).rstrip(".").lower()
        behaviour = self._zone.get(name, DnsName(mode=DnsMode.NXDOMAIN))
        if behaviour.mode is DnsMode.SILENT:
            return
        reply = self._reply(query, name, behaviour).pack()
        loop = asyncio.get_running_loop()
        loop.call_later(behaviour.delay_s, self._transport.sendto, reply, addr)

    def _reply(self, query: dnslib.DNSRecord, name: str, behaviour: DnsName) -> dnslib.DNSRecord:
        reply = query.reply()
        if behaviour.mode is not DnsMode.ADDRESSES:
            reply.header.rcode = getattr(dnslib.RCODE, behaviour.mode.upper())
            return reply
        kind = str(dnslib.QTYPE[query.q.qtype])
        turn = min(self.asked[name, kind], len(behaviour.sequence) - 1)
        self.asked[name, kind] += 1
        for address in behaviour.sequence[turn]:
            if kind == ("AAAA" if ":" in address else "A"):
                record = _TYPES[kind](address)
                answer = dnslib.RR(query.q.qname, query.q.qtype, rdata=record, ttl=behaviour.ttl_s)
                reply.add_answer(answer)
        return reply


async def serve(zone: Zone, port: int) -> None:
    """Answers on 127.0.0.1 until SIGTERM; `ready` goes to stdout once it listens."""
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(
        lambda: DnsServer(zone), local_addr=("127.0.0.1", port)
    )
    print("ready", flush=True)
    stopped = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    await stopped.wait()
    transport.close()


@contextmanager
def running(zone: Zone, port: int) -> Generator[ChildProcess]:
    """The server in a process of its own, listening; ended at the end."""
    told = json.dumps({name: asdict(behaviour) for name, behaviour in zone.items()})
    command = [sys.executable, "-m", "nephila_testkit.web.dns_server", "--port", str(port)]
    with ChildProcess(command, told) as child:
        child.wait_for_line("ready")
        yield child


def read_zone(text: str) -> dict[str, DnsName]:
    """A zone as `running` writes it: name → the fields of a DnsName."""
    zone: dict[str, DnsName] = {}
    for name, told in json.loads(text).items():
        sequence = tuple(tuple(addresses) for addresses in told["sequence"])
        zone[name] = DnsName(sequence, DnsMode(told["mode"]), told["ttl_s"], told["delay_s"])
    return zone


def main() -> None:
    """The command: the zone as JSON on stdin."""
    parser = argparse.ArgumentParser(prog="python -m nephila_testkit.web.dns_server")
    parser.add_argument("--port", type=int, default=5356)
    given = parser.parse_args()
    asyncio.run(serve(read_zone(sys.stdin.read()), given.port))


if __name__ == "__main__":
    main()
