"""The name server that misbehaves as it is told."""

import socket
import time

import dnslib
import pytest
from nephila_testkit.free_ports import free_udp_port
from nephila_testkit.web import dns_server
from nephila_testkit.web.dns_server import DnsMode, DnsName, zone_of

ZONE = {
    **zone_of({"plain.test": "127.0.0.1"}),
    "rebound.test": DnsName((("192.0.2.1",), ("127.0.0.1", "::1")), ttl_s=0),
    "gone.test": DnsName(mode=DnsMode.NXDOMAIN),
    "broken.test": DnsName(mode=DnsMode.SERVFAIL),
    "silent.test": DnsName(mode=DnsMode.SILENT),
    "slow.test": DnsName((("127.0.0.1",),), delay_s=0.2),
}


def ask(port: int, name: str, kind: str = "A") -> tuple[int, list[str]]:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.settimeout(1.0)
        asking.sendto(dnslib.DNSRecord.question(name, kind).pack(), ("127.0.0.1", port))
        answer = dnslib.DNSRecord.parse(asking.recv(4096))
    return answer.header.rcode, [str(record.rdata) for record in answer.rr]


def test_each_name_answers_as_it_is_told() -> None:
    port = free_udp_port()
    with dns_server.running(ZONE, port):
        assert ask(port, "PLAIN.test") == (0, ["127.0.0.1"])
        assert ask(port, "rebound.test") == (0, ["192.0.2.1"])
        assert ask(port, "rebound.test") == (0, ["127.0.0.1"])
        assert ask(port, "rebound.test") == (0, ["127.0.0.1"])
        assert ask(port, "gone.test") == (dnslib.RCODE.NXDOMAIN, [])
        assert ask(port, "unheard.test") == (dnslib.RCODE.NXDOMAIN, [])
        assert ask(port, "broken.test") == (dnslib.RCODE.SERVFAIL, [])
        began = time.monotonic()
        assert ask(port, "slow.test")[0] == 0
        assert time.monotonic() - began >= 0.2
        with pytest.raises(TimeoutError):
            ask(port, "silent.test")
