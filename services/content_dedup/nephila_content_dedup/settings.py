"""Every knob of content_dedup."""

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict


class ContentDedupSettings(BaseSettings):
    """Read once from NEPHILA_CONTENT_DEDUP_* and handed down."""

    model_config = SettingsConfigDict(env_prefix="NEPHILA_CONTENT_DEDUP_", frozen=True)

    batch: int = Field(default=100, ge=1)
    """Attempts judged at a time. Their bodies are unpacked in memory meanwhile."""
    keep_near_duplicates: bool = False
    """Store the bytes of near-duplicates too. Off: duplicate content is not stored."""
    inline_text_bytes: int = Field(default=64 * 1024, ge=0, le=512 * 1024)
    """Text (zstd) that page_fetched carries itself; a longer one is a record of the archive. A message
    holds 900 KB at most."""
