"""A URL as a queue keeps it: cut at its host, its traits packed into one number. Pure."""

from typing import NamedTuple, cast

from nephila_contracts.v1.url_pb2 import UrlKind, Validators
from nephila_storage.frontier_store import QueuedUrl
from nephila_urls import CanonicalUrl, host_of, path_of

_KIND_BITS = 3
_MOST_HOPS = 31


class UrlParts(NamedTuple):
    """A canonical URL cut up."""

    secure: bool
    host: str
    path: str


def cut(url: str) -> UrlParts | None:
    """Cuts a canonical URL at its host; None when it is none."""
    canonical = CanonicalUrl(url)
    try:
        host, path = host_of(canonical), path_of(canonical)
    except ValueError:
        return None
    secure = url.startswith("https://")
    return UrlParts(secure, host, path) if host and (secure or url.startswith("http://")) else None


def url_of(host: str, entry: QueuedUrl) -> str:
    """The whole URL again."""
    return ("https://" if entry.traits & 1 else "http://") + host + entry.path


def pack_traits(secure: bool, kind: UrlKind, redirect_hops: int, depth: int) -> int:
    """Bit 0 is https, 1 and 2 the kind, 3 to 7 the redirect hops, the rest the depth."""
    return secure | kind << 1 | min(redirect_hops, _MOST_HOPS) << 3 | depth << 8


def is_secure(traits: int) -> bool:
    return bool(traits & 1)


def kind_of(traits: int) -> UrlKind:
    return cast("UrlKind", traits >> 1 & _KIND_BITS)


def redirect_hops_of(traits: int) -> int:
    return traits >> 3 & _MOST_HOPS


def depth_of(traits: int) -> int:
    return traits >> 8


def pack_validators(validators: Validators) -> str | None:
    """None when there are none. Neither field can hold a line end: they come from HTTP fields."""
    if not validators.etag and not validators.last_modified:
        return None
    return f"{validators.etag}\n{validators.last_modified}"


def unpack_validators(packed: str | None) -> Validators | None:
    if packed is None:
        return None
    etag, _, last_modified = packed.partition("\n")
    return Validators(etag=etag, last_modified=last_modified)
