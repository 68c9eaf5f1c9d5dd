"""The values that options take, from text: pure, each raising `BadInput` with the option's name."""

import re
from collections.abc import Callable
from datetime import timedelta
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network

from nephila_standalone.errors import BadInput

_BYTES_IN = {
    "": 1,
    "b": 1,
    "k": 10**3,
    "kb": 10**3,
    "m": 10**6,
    "mb": 10**6,
    "g": 10**9,
    "gb": 10**9,
    "t": 10**12,
    "tb": 10**12,
    "kib": 2**10,
    "mib": 2**20,
    "gib": 2**30,
    "tib": 2**40,
}
_SECONDS_IN = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([a-z]*)", re.IGNORECASE | re.ASCII)
_DURATION_PART = re.compile(r"(\d+(?:\.\d+)?)(ms|[smhdw])", re.IGNORECASE | re.ASCII)
_LONGEST_DURATION = timedelta(days=3650)
_LONGEST_CONTACT = 200
_CONTACT = re.compile(r"https?://[!-'*-~]+|(?:mailto:)?[!-'*-?A-~]+@[!-'*-?A-~]+", re.ASCII)


def count(option: str, text: str) -> int:
    """A whole number, 0 or more."""
    if not re.fullmatch(r"\d{1,15}", text, re.ASCII):
        raise BadInput(f"{option} {text!r} is no whole number", f"write {option} 100")
    return int(text)


def at_least_one(option: str, text: str) -> int:
    """A whole number, 1 or more."""
    number = count(option, text)
    if number == 0:
        raise BadInput(f"{option} 0 would fetch nothing", f"write {option} 1 or more")
    return number


def size(option: str, text: str) -> int:
    """Bytes: "500000", "10MB" (10^7), "1.5 GiB"; at least 1."""
    match = _SIZE.fullmatch(text.strip())
    unit = _BYTES_IN.get(match[2].lower()) if match else None
    if match is None or unit is None or len(text) > 20:
        raise BadInput(f"{option} {text!r} is no size", f"write {option} 10MB, 1.5GB or 500000")
    number = int(float(match[1]) * unit)
    if number < 1:
        raise BadInput(f"{option} {text!r} would fetch nothing", f"write {option} 1MB or more")
    return number


def duration(option: str, text: str) -> timedelta:
    """Time: "90" (seconds), "1.5s", "250ms", "10m", "1h30m"; ten years at most."""
    seconds = _seconds(text.strip())
    if seconds is None or seconds > _LONGEST_DURATION.total_seconds():
        raise BadInput(f"{option} {text!r} is no time", f"write {option} 90s, 10m or 1h30m")
    return timedelta(seconds=seconds)


def positive_duration(option: str, text: str) -> timedelta:
    """A time above 0."""
    value = duration(option, text)
    if not value:
        raise BadInput(f"{option} {text!r} would fetch nothing", f"write {option} 10m or more")
    return value


def _seconds(text: str) -> float | None:
    if len(text) > 30:
        return None
    if re.fullmatch(r"\d+(\.\d+)?", text, re.ASCII):
        return float(text)
    parts = _DURATION_PART.findall(text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        return None
    return sum(float(number) * _SECONDS_IN[unit.lower()] for number, unit in parts)


def pattern(option: str, text: str) -> re.Pattern[str]:
    """A regular expression of Python's `re`, looked for anywhere in a URL."""
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        mend = (
            f"mend the pattern; a literal dot or question mark is written {chr(92)}. or {chr(92)}?"
        )
        raise BadInput(f"{option} {text!r} is no regular expression ({error})", mend) from None


def network(option: str, text: str) -> IPv4Network | IPv6Network:
    """A network such as 127.0.0.0/8, or one address."""
    try:
        return ip_network(text)
    except ValueError:
        pass
    try:
        meant = ip_network(text, strict=False)
    except ValueError:
        mend = f"write {option} 127.0.0.0/8 or {option} ::1"
        raise BadInput(f"{option} {text!r} is no network", mend) from None
    fault = f"{option} {text} names an address inside a network"
    raise BadInput(fault, f"write {option} {meant}, or {text.split('/')[0]} for that address alone")


def name_server(option: str, text: str) -> tuple[str, int]:
    """HOST:PORT of a name server, HOST being an address; port 53 when there is none."""
    host, port = _split_port(text)
    try:
        address = ip_address(host)
        number = int(port) if re.fullmatch(r"\d{1,5}", port, re.ASCII) else -1
    except ValueError:
        number, address = -1, None
    if address is None or not 0 < number < 65536:
        mend = f"write the server's address, such as {option} 127.0.0.1:5353"
        raise BadInput(f"{option} {text!r} is no address of a name server", mend)
    return str(address), number


def _split_port(text: str) -> tuple[str, str]:
    bracketed = re.fullmatch(r"\[([^\]]*)\](?::(.*))?", text)
    if bracketed:
        return bracketed[1], bracketed[2] or "53"
    if text.count(":") == 1:
        host, port = text.split(":")
        return host, port
    return text, "53"


def contact(option: str, text: str) -> str:
    """A web or mail address that fits into a User-Agent field."""
    if len(text) > _LONGEST_CONTACT or not _CONTACT.fullmatch(text):
        mend = f"write {option} https://example.org/crawler or {option} me@example.org"
        raise BadInput(f"{option} {text!r} is no web or mail address", mend)
    return text


def unless_none(parse: Callable[[str, str], object]) -> Callable[[str, str], object | None]:
    """The same value, or None for the word "none", which lifts a limit set by an earlier run."""

    def parsed(option: str, text: str) -> object | None:
        return None if text.strip().lower() == "none" else parse(option, text)

    return parsed
