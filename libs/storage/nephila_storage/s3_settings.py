"""Every knob of the object storage."""

from datetime import timedelta
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

# Those that servers come with, and those of their manuals.
_DEFAULT_KEYS = {
    *[
        "minioadmin",
        "minio",
        "minio123",
        "admin",
        "root",
        "password",
        "test",
        "accesskey",
        "secretkey",
    ],
    *["any", "some_access_key1", "some_secret_key1", "akiaiosfodnn7example", "changeme"],
    "wjalrxutnfemi/k7mdeng/bpxrficyexamplekey",
}


class S3Settings(BaseSettings):
    """Read once from NEPHILA_S3_* and handed down. Never filled from an API."""

    # A refused value may be a key: errors must not show it.
    model_config = SettingsConfigDict(
        env_prefix="NEPHILA_S3_", frozen=True, hide_input_in_errors=True
    )

    allow_plain_http: bool = False
    """Accept an endpoint of http://, where anyone on the way can read and change pages."""
    endpoint: str
    """https://host or https://host:port, without a path."""
    bucket: str = Field(default="nephila", pattern=r"^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$")
    """Must be there: it is never made, so that a misspelt one is noticed."""
    prefix: str = Field(default="pages/", pattern=r"^([a-zA-Z0-9._-]+/)*$")
    """Folder of the pages' objects: several crawls in one bucket."""
    region: str = "us-east-1"
    """As the server calls it. Never asked for: a key that may only put objects need not be told."""
    access_key: str
    """Names the keys. Those that servers come with are refused."""
    secret_key: SecretStr
    """Signs each request; never sent."""
    ca_file: str = ""
    """PEM of the authorities that sign the server's certificate; empty: the machine's own."""

    object_bytes: int = Field(default=16 * 1024 * 1024, ge=1)
    """An object that has grown so large is uploaded before the next capture: the store's memory is bounded
    by twice as much and one capture."""
    write_once: bool = True
    """Puts are conditional (If-None-Match): the server itself refuses to overwrite. Off for a server that
    answers 501 to that; names are new for each run all the same."""
    connect_timeout: timedelta = timedelta(seconds=5)
    """How long a connection may take."""
    timeout: timedelta = timedelta(seconds=20)
    """How long the server may be silent. With the attempts, well below the host's longest turn."""
    attempts: int = Field(default=3, ge=1)
    """How often a request is sent before the server counts as away and the host's run ends."""

    @field_validator("endpoint")
    @classmethod
    def _is_encrypted(cls, endpoint: str, info: ValidationInfo) -> str:
        parts = urlsplit(endpoint)
        if parts.scheme not in ("https", "http") or endpoint != f"{parts.scheme}://{parts.netloc}":
            raise ValueError("write https://host:port, without a path")
        if "@" in parts.netloc or not parts.hostname:
            raise ValueError("write https://host:port; keys have settings of their own")
        if parts.scheme == "http" and not info.data.get("allow_plain_http"):
            raise ValueError("is not encrypted: use https, or set NEPHILA_S3_ALLOW_PLAIN_HTTP=1")
        return endpoint

    @field_validator("access_key", "secret_key")
    @classmethod
    def _is_not_a_default(cls, key: str | SecretStr) -> str | SecretStr:
        plain = key if isinstance(key, str) else key.get_secret_value()
        if plain.lower() in _DEFAULT_KEYS:
            raise ValueError("is one that everybody knows: make keys of your own")
        # S3's own least lengths are 16 and 40; other servers take 3 and 8.
        if len(plain) < (3 if isinstance(key, str) else 8):
            raise ValueError("is too short for a key")
        return key
