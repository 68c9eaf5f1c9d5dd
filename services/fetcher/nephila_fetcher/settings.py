"""Every knob of the fetcher."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

Seconds = Annotated[timedelta, Field(gt=timedelta())]
Pause = Annotated[timedelta, Field(ge=timedelta())]
# Brackets and backslashes would break the user agent's comment.
_CONTACT = r"^(?:https?://[!-'*-\[\]-~]+|(?:mailto:)?[!-'*-?A-\[\]-~]+@[!-'*-?A-\[\]-~]+)$"


class FetcherSettings(BaseSettings):
    """Read once from NEPHILA_FETCHER_* and handed down."""

    model_config = SettingsConfigDict(env_prefix="NEPHILA_FETCHER_", frozen=True, extra="forbid")

    contact: Annotated[str, Field(pattern=_CONTACT, max_length=200)]
    """Whom the owner of a crawled site can turn to: a web or mail address. Stands in the user agent."""
    product_token: Annotated[str, Field(pattern=r"^[A-Za-z_-]+$")] = "nephila"
    """What robots.txt files call us: letters, `_` and `-` (RFC 9309 2.2.1)."""
    version: Annotated[str, Field(pattern=r"^[0-9A-Za-z.]+$")] = "0.1"
    """Told in the user agent, so that a site can tell an old crawler from a new one."""

    time_limit: Seconds = timedelta(seconds=30)
    """One request, from the connection to the last byte. Slower servers are tried three times."""
    connect_limit: Seconds = timedelta(seconds=10)
    """Of it, to connect and to shake hands."""
    size_limit: Annotated[int, Field(ge=1024)] = 10_000_000
    """Bytes of body on the wire; what is longer is cut and marked."""
    robots_time_limit: Seconds = timedelta(seconds=45)
    """One robots.txt, with its redirects and the delays between them."""
    longest_pause: Pause = timedelta(seconds=15)
    """Longest pause between robots.txt and the page under one lease; above it the lease is handed back
    and the host waits in the frontier."""
    longest_fetch: Seconds = timedelta(seconds=120)
    """The longest that a fetch can take after its wait: the frontier leases a host again only then.
    Covers robots.txt, its pause, a second try on a new connection and the page; enforced."""

    longest_crawl_delay: Pause = timedelta(minutes=5)
    """Crawl-delay of robots.txt counts for at most this, as in the frontier: a day, as some write, would
    mean never."""
    obey_crawl_delay: bool = True
    """False for one's own servers, where a given delay is the last word."""
    longest_retry_after: Pause = timedelta(hours=24)
    """Retry-After counts for at most this, as in the frontier: a wrong date would bury a host for good."""

    robots_lifetime: Annotated[Seconds, Field(le=timedelta(hours=24))] = timedelta(hours=24)
    """RFC 9309 2.4: a robots.txt should not be used for more than 24 hours."""
    robots_retry: Seconds = timedelta(seconds=5)
    """An unreachable robots.txt is asked for again after this, doubled at each failure."""
    robots_retry_longest: Seconds = timedelta(hours=1)
    """Where that ends."""
    robots_cache_bytes: Annotated[int, Field(ge=0)] = 64_000_000
    """Bytes of robots.txt text behind the rules that are kept: 64 MB is some 64,000 hosts."""

    idle_connections: Annotated[int, Field(ge=0)] = 1000
    """Connections kept for a next request; each is a file descriptor."""
    idle_timeout: Seconds = timedelta(seconds=60)
    """How long an unused one is kept: servers close theirs after 5 to 75 seconds."""
    under_way: Annotated[int, Field(ge=1)] = 256
    """Fetches under way at once: a polite crawl needs many hosts at a time, one request each."""

    @property
    def user_agent(self) -> str:
        """Such as "Nephila/0.1 (+https://example.org/crawler)"."""
        return f"{self.product_token.capitalize()}/{self.version} (+{self.contact})"
