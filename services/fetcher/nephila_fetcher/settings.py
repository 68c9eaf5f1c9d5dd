"""Every knob of the fetcher."""

from datetime import timedelta
from typing import Annotated

from pydantic import AnyHttpUrl, Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

Seconds = Annotated[timedelta, Field(gt=timedelta())]
Pause = Annotated[timedelta, Field(ge=timedelta())]


class FetcherSettings(BaseSettings):
    """Read once from `NEPHILA_FETCHER_*`, then handed down. Durations are ISO 8601 or seconds."""

    model_config = SettingsConfigDict(env_prefix="NEPHILA_FETCHER_", frozen=True, extra="forbid")

    # Whom the owner of a crawled site can turn to: a page, http or https. Stands in the user agent.
    contact: AnyHttpUrl
    # What robots.txt files call us: letters, `_` and `-` (RFC 9309 2.2.1).
    product_token: Annotated[str, Field(pattern=r"^[A-Za-z_-]+$")] = "nephila"
    version: Annotated[str, Field(pattern=r"^[0-9A-Za-z.]+$")] = "0.1"

    # One request, from the connection to the last byte. Slower servers are tried three times.
    time_limit: Seconds = timedelta(seconds=30)
    # Of it, to connect and to shake hands.
    connect_limit: Seconds = timedelta(seconds=10)
    # Bytes of body on the wire; what is longer is cut and marked.
    size_limit: Annotated[int, Field(ge=1024)] = 10_000_000
    # One robots.txt, with its redirects and the delays between them.
    robots_time_limit: Seconds = timedelta(seconds=45)
    # Longest pause between robots.txt and the page under one lease; above it the lease is handed
    # back and the host waits in the frontier.
    longest_pause: Pause = timedelta(seconds=15)
    # The longest that a fetch can take after its wait: the frontier leases a host again only then.
    # Covers robots.txt, its pause, a second try on a new connection and the page; enforced.
    longest_fetch: Seconds = timedelta(seconds=120)

    # Crawl-delay of robots.txt is obeyed up to here: longer ones are mistakes or traps.
    longest_crawl_delay: Pause = timedelta(minutes=10)
    # False for one's own servers, where a given delay is the last word.
    obey_crawl_delay: bool = True
    # Retry-After is obeyed up to here; a wrong date would bury a host for good.
    longest_retry_after: Pause = timedelta(days=7)

    # RFC 9309 2.4: a robots.txt should not be used for more than 24 hours.
    robots_lifetime: Annotated[Seconds, Field(le=timedelta(hours=24))] = timedelta(hours=24)
    # An unreachable robots.txt is asked for again after this, doubled at each failure ...
    robots_retry: Seconds = timedelta(seconds=5)
    # ... up to this.
    robots_retry_longest: Seconds = timedelta(hours=1)
    # Bytes of robots.txt text behind the rules that are kept: 64 MB is some 64,000 hosts.
    robots_cache_bytes: Annotated[int, Field(ge=0)] = 64_000_000

    # Connections kept for a next request; each is a file descriptor.
    idle_connections: Annotated[int, Field(ge=0)] = 1000
    idle_timeout: Seconds = timedelta(seconds=60)
    # Fetches under way at once; politeness needs many hosts at a time (design 2).
    under_way: Annotated[int, Field(ge=1)] = 256

    @field_validator("contact")
    @classmethod
    def _is_plain(cls, contact: AnyHttpUrl) -> AnyHttpUrl:
        if any(character in str(contact) for character in "()\\"):
            raise ValueError("brackets and backslashes would break the user agent's comment")
        return contact

    @property
    def user_agent(self) -> str:
        """Such as "Nephila/0.1 (+https://example.org/crawler)"."""
        return f"{self.product_token.capitalize()}/{self.version} (+{self.contact})"
