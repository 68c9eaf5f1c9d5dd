"""Every knob of the one-process host. What a crawl is about comes from the command line."""

from datetime import timedelta

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class StandaloneSettings(BaseSettings):
    """Read once from NEPHILA_STANDALONE_* and handed down."""

    model_config = SettingsConfigDict(env_prefix="NEPHILA_STANDALONE_", frozen=True)

    disk_patience: timedelta = timedelta(minutes=10)
    """How long room is waited for on a full or nearly full disk before the crawl gives up; it goes on by
    itself before that."""
    host_patience: timedelta = timedelta(minutes=5)
    """How long a crawl waits when every host that is left has backed off: beyond it the crawl ends, its
    URLs stay queued, and the same command goes on later. At least three crawl delays."""
    disk_reserve: int = Field(default=64_000_000, ge=0)
    """Bytes of free disk below which no URL is let out: room for what is under way. On a disk of less
    than a gigabyte, a sixteenth of it."""
    most_restarts: int = Field(default=5, ge=0)
    """Times in a row that a failed run is built anew from the stores before its fault is shown."""
