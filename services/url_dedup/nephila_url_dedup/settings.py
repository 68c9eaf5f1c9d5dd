"""Every knob of url_dedup. What belongs to a crawl (scope, patterns, depth) comes as AdmissionRules."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class UrlDedupSettings(BaseSettings):
    """Read once from NEPHILA_URL_DEDUP_* and handed down."""

    model_config = SettingsConfigDict(env_prefix="NEPHILA_URL_DEDUP_", frozen=True)

    batch: int = Field(default=200, ge=1)
    """Messages handled at a time: one of a page and target site holds some ten links."""
    recent: int = Field(default=50_000, ge=2)
    """URLs whose verdict is remembered exactly: about 150 bytes each. A page's links are met again soon, and
    the parser, which remembers a million, lets few of them through a second time."""
    seen_set_capacity: int = Field(default=1_000_000, ge=1)
    """URLs that the seen set is made for at least: 1.8 MB at the rate below."""
    seen_set_false_positives: float = Field(default=0.001, gt=0, lt=1)
    """Share of new URLs that cost a needless read of url_state."""
    growth_every: timedelta = timedelta(seconds=1)
    """How often a growing seen set takes its next chunk."""
    growth_chunks: int = Field(default=2, ge=1)
    """Chunks of 10,000 digests taken at a time, so that growing never stops the loop for long."""
