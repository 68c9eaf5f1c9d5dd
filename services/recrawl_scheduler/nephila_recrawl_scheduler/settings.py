"""Every knob of recrawl_scheduler."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class RecrawlSchedulerSettings(BaseSettings):
    """Read once from NEPHILA_RECRAWL_SCHEDULER_* and handed down."""

    model_config = SettingsConfigDict(env_prefix="NEPHILA_RECRAWL_SCHEDULER_", frozen=True)

    batch: int = Field(default=500, ge=1)
    """Verdicts recorded at a time: a row each, about 10 µs."""
