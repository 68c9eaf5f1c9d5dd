"""The resolver on aiodns (c-ares): the machine's configuration with its hosts file, or one server."""

import asyncio
import socket

import aiodns
import pycares

from nephila_fetcher.dns_resolver import DnsFailed, NoSuchHost, Resolved

# Not exported by pycares: do not sort answers by trial connections (c-ares, ARES_AI_NOSORT).
_AI_NOSORT = 1 << 7
_NO_ADDRESS = frozenset(
    (
        aiodns.error.ARES_ENOTFOUND,
        aiodns.error.ARES_ENODATA,
        aiodns.error.ARES_ENONAME,
        aiodns.error.ARES_EBADNAME,
    )
)
# One try of one server; c-ares doubles it at each of its tries.
_TRY_SECONDS = 3.0
_TRIES = 2
# All tries of all servers together.
_TOTAL_SECONDS = 10.0


class AiodnsResolver:
    """Asks for IPv4 and IPv6 addresses. To be made and closed within the running loop."""

    def __init__(self, server: str | None = None) -> None:
        """`server` is "HOST:PORT" of the only name server to ask, after the hosts file."""
        # Not `lookups="b"`, which would skip the hosts file: pycares 5.2.1 frees that text before
        # c-ares reads it, and every query may then fail at once.
        only = {} if server is None else {"servers": [server]}
        self._resolver = aiodns.DNSResolver(
            loop=asyncio.get_running_loop(),
            timeout=_TRY_SECONDS,
            tries=_TRIES,
            # Search domains would turn names of the web into names of ours.
            flags=pycares.ARES_FLAG_NOSEARCH,
            **only,
        )

    async def resolve(self, host: str) -> Resolved:
        """IPv4 addresses come first: a machine without IPv6 then loses no time."""
        try:
            async with asyncio.timeout(_TOTAL_SECONDS):
                found = await self._resolver.getaddrinfo(
                    host, family=socket.AF_UNSPEC, type=socket.SOCK_STREAM, flags=_AI_NOSORT
                )
        except TimeoutError as error:
            raise DnsFailed("no answer in time") from error
        except aiodns.error.DNSError as error:
            if error.args[0] in _NO_ADDRESS:
                raise NoSuchHost(host) from error
            raise DnsFailed(host) from error
        nodes = sorted(found.nodes, key=lambda node: node.family != socket.AF_INET)
        # A name may have a thousand: the guard judges each, more than these are never tried.
        addresses = dict.fromkeys(node.addr[0].decode() for node in nodes[:64])
        if not addresses:
            raise NoSuchHost(host)
        return Resolved(tuple(addresses), float(min(node.ttl for node in nodes)))

    async def aclose(self) -> None:
        await self._resolver.close()
