"""Names to addresses, as a port."""

from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Resolved:
    """Every address of a name, in the order to try them, and for how many seconds that may be kept."""

    addresses: tuple[str, ...]
    ttl: float


class NoSuchHost(Exception):
    """The name does not exist, or has no address: it is not asked again soon."""


class DnsFailed(Exception):
    """No answer now (time-out, SERVFAIL, refused): to be asked again later."""

    # Seconds for which the failure is remembered: to ask before is to hear the same.
    remembered: float = 0.0


class Resolver(Protocol):
    """Looks names up. Answers are not judged here: the address guard does that."""

    async def resolve(self, host: str) -> Resolved:
        """`host` is a lower-case ASCII name, without port. Raises NoSuchHost or DnsFailed."""
        ...


def split_host(host: str) -> tuple[str, int | None]:
    """Name (an IPv6 literal without its brackets) and port of a URL's `name[:port]`."""
    if host.startswith("["):
        name, _, port = host[1:].partition("]")
        port = port.removeprefix(":")
    else:
        name, _, port = host.partition(":")
    return name, int(port) if port else None


@lru_cache(16_384)
def literal_address(name: str) -> str | None:
    """`name` as an address when it is one, which needs no query; None for a name."""
    if name[-1:].isalpha() and ":" not in name:
        return None
    try:
        return str(ip_address(name))
    except ValueError:
        return None
