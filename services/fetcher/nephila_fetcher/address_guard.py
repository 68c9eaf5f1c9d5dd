"""Which addresses may be connected to: the wall against server-side request forgery.

An explicit table instead of `ipaddress.is_global`, which calls 17 of 46 forbidden examples global
on Python 3.11 (NAT64, 6to4, multicast, site-local ...). Sources: the IANA special-purpose address
registries for IPv4 and IPv6.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

_FORBIDDEN_IPV4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",  # private
        "100.64.0.0/10",  # shared by carriers (RFC 6598)
        "127.0.0.0/8",  # loopback
        "169.254.0.0/16",  # link-local, metadata of clouds
        "172.16.0.0/12",  # private
        "192.0.0.0/24",  # protocol assignments
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",  # private
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",  # documentation
        "203.0.113.0/24",  # documentation
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
)
_FORBIDDEN_IPV6 = tuple(
    IPv6Network(network)
    for network in (
        "::/128",  # unspecified
        "::1/128",  # loopback
        "::ffff:0:0:0/96",  # IPv4-translated (SIIT)
        "64:ff9b:1::/48",  # NAT64 for local use
        "100::/64",  # discard
        "100:0:0:1::/64",  # dummy prefix (RFC 9780)
        "2001::/23",  # protocol assignments: Teredo, benchmarks, ORCHID ...
        "2001:db8::/32",  # documentation
        "3fff::/20",  # documentation (RFC 9637)
        "5f00::/16",  # segment routing
        "fc00::/7",  # unique local
        "fe80::/10",  # link-local
        "fec0::/10",  # site-local, deprecated
        "ff00::/8",  # multicast
    )
)
_V4_MAPPED = IPv6Network("::ffff:0:0/96")
_V4_COMPATIBLE = IPv6Network("::/96")
_NAT64 = IPv6Network("64:ff9b::/96")
_6TO4 = IPv6Network("2002::/16")
_TEREDO = IPv6Network("2001::/32")
_REMEMBERED = 65_536


class AddressGuard:
    """Judges addresses. `allowed_networks` are the operator's exceptions, never the API's."""

    def __init__(self, allowed_networks: Sequence[str | Network] = ()) -> None:
        self._allowed = tuple(ip_network(network) for network in allowed_networks)
        # One look-up instead of 30 comparisons: a crawl meets the same addresses again and again.
        self.forbids = lru_cache(_REMEMBERED)(self._forbids)

    def permitted(self, addresses: Sequence[str]) -> tuple[str, ...]:
        """Those of `addresses` that may be connected to, in their order."""
        return tuple(address for address in addresses if not self.forbids(address))

    def _forbids(self, address: str) -> bool:
        """True when `address` must not be connected to, or is no address at all."""
        try:
            outer = ip_address(address)
        except ValueError:
            return True
        if any(outer in network for network in self._allowed):
            return False
        return any(self._is_special(each) for each in (outer, *_embedded(outer)))

    def _is_special(self, address: Address) -> bool:
        if any(address in network for network in self._allowed):
            return False
        table = _FORBIDDEN_IPV4 if isinstance(address, IPv4Address) else _FORBIDDEN_IPV6
        return any(address in network for network in table)


def _embedded(address: Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses to which a translator or tunnel would carry on from an IPv6 address."""
    if isinstance(address, IPv4Address):
        return
    bits = int(address)
    low = bits & 0xFFFFFFFF
    if address in _V4_MAPPED or address in _NAT64 or address in _V4_COMPATIBLE:
        yield IPv4Address(low)
    elif address in _6TO4:
        yield IPv4Address((bits >> 80) & 0xFFFFFFFF)
    elif address in _TEREDO:
        yield IPv4Address((bits >> 64) & 0xFFFFFFFF)  # the server
        yield IPv4Address(low ^ 0xFFFFFFFF)  # the client, with every bit turned
