"""Every knob of the frontier."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class FrontierSettings(BaseSettings):
    """Read once from NEPHILA_FRONTIER_* and handed down."""

    model_config = SettingsConfigDict(env_prefix="NEPHILA_FRONTIER_", frozen=True)

    host_delay: timedelta = timedelta(seconds=1)
    """Least time from the end of an answer to the next request of its host: what site owners bear."""
    site_delay: timedelta = timedelta(seconds=1)
    """The same over all hosts of a site key, so that sub-domains are no way round; 0 counts by host."""
    ip_interval: timedelta = timedelta(milliseconds=100)
    """Least time between two requests to an address: 10/s, for machines that serve many sites."""
    longest_crawl_delay: timedelta = timedelta(minutes=5)
    """What a Crawl-delay counts for at most: a day, as some write, would mean never."""
    delay_factor: float = Field(default=5.0, ge=0)
    """The delay is at least this many times the usual response time (Heritrix's value); 0 is off."""
    longest_adaptive_delay: timedelta = timedelta(seconds=30)
    """Where that ends (Heritrix's value)."""
    first_back_off: timedelta = timedelta(seconds=5)
    """After the first failure; doubled by each further one."""
    longest_back_off: timedelta = timedelta(hours=1)
    """Where the doubling ends, so that a host that is back is noticed."""
    longest_retry_after: timedelta = timedelta(hours=24)
    """What a Retry-After counts for at most."""
    put_off: timedelta = timedelta(seconds=30)
    """When a paused or blocklisted host is looked at again."""
    handed_back_delay: timedelta = timedelta(seconds=1)
    """Before a URL that the fetcher gave back unfetched goes out again: it is stopping."""

    most_leases: int = Field(default=256, ge=1)
    """URLs handed out at a time: what a fetcher works on, and what a kill repeats at most."""
    lease_time: timedelta = timedelta(minutes=5)
    """The longest possible fetch with all its retries, and a margin."""
    most_tries: int = Field(default=3, ge=1)
    """Deferrals that count, or leases that ran out, until a URL is given up."""
    most_back_offs: int = Field(default=12, ge=1)
    """429 and 503 in a row for one URL until it is given up, hours later: else it blocks its host."""
    republish_after: timedelta = timedelta(seconds=10)
    """After a restart, when a lease of the time before is published again: once the fetcher has passed
    all older messages, and then this long, so that no outcome is still on its way."""

    heads: int = Field(default=32, ge=1)
    """URLs of a queue that are read at a time."""
    entries_in_memory: int = Field(default=20_000, ge=0)
    """URLs in memory over all queues: about 250 bytes each, 5 MB."""
    segment_urls: int = Field(default=256, ge=1)
    """URLs that a queue has let go before their rows are dropped, in one go."""

    most_lag: int = Field(default=512, ge=0)
    """Messages that wait downstream before the valve closes: bodies of 25 KB, so about 13 MB."""
    new_share: float = Field(default=0.6, gt=0)
    """Capacity for URLs never fetched: most of it, so that a crawl grows."""
    fast_share: float = Field(default=0.3, gt=0)
    """Capacity for known URLs that change fast."""
    revalidate_share: float = Field(default=0.1, gt=0)
    """Capacity for known URLs that are only looked after."""
    dispatch_every: timedelta = timedelta(milliseconds=200)
    """How late an opened valve may be noticed; a host's turn is noticed at once."""
    expire_every: timedelta = timedelta(seconds=5)
    """How late an expired lease may be noticed."""
