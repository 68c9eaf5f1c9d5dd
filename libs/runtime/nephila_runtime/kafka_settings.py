"""Every knob of the Kafka host."""

from datetime import timedelta
from typing import Any, Literal, Self

from pydantic import Field, SecretStr, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict


class KafkaSettings(BaseSettings):
    """Read once from NEPHILA_KAFKA_* and handed down. Never filled from an API."""

    model_config = SettingsConfigDict(env_prefix="NEPHILA_KAFKA_", frozen=True)

    servers: str = "127.0.0.1:9092"
    """host:port, several separated by commas."""
    prefix: str = Field(default="", pattern=r"^[a-zA-Z0-9._-]{0,100}$")
    """Before every name of a topic, group and transaction: several crawls in one cluster."""
    instance: str = ""
    """Tells this process from others of its service, the same after a restart (a pod's name), so that it
    can end what the one before it left open. Empty: host name and process number."""

    partitions: int = Field(default=256, ge=1)
    """Of every site-keyed topic, fixed at install (design 3)."""
    replication: int = Field(default=1, ge=1)
    """Copies of each partition: 3 in a fleet; one fewer must have a message before it counts as kept."""
    retention: timedelta = timedelta(days=7)
    """How long messages stay. The frontier closes its valve at a quarter of it (design 4.9)."""
    dead_letter_retention: timedelta = timedelta(days=30)
    """How long an operator has to look at dead letters."""

    session_timeout: timedelta = timedelta(seconds=30)
    """How long a dead process keeps its partitions; the longest sleep that is no death."""
    longest_turn: timedelta = timedelta(minutes=5)
    """A member that has not answered a rebalance for so long is left out: its batch hangs."""
    wind_up: timedelta = timedelta(seconds=0.5)
    """At a rebalance, how long what is under way may take to end by itself before it is cancelled."""
    publish_timeout: timedelta = timedelta(minutes=2)
    """How long a message may wait for the brokers before the run ends: longer than a broker's restart."""
    transaction_timeout: timedelta = timedelta(seconds=10)
    """How long a dead process's open transaction holds up read_committed readers (design 4.1)."""
    compression: Literal["none", "lz4", "zstd", "snappy", "gzip"] = "lz4"
    """Of batches. Bodies come packed already, links and text do not."""

    intake_records: int = Field(default=2_000, ge=2)
    """Records of a topic that wait in memory before its partitions are paused."""
    intake_bytes: int = Field(default=16 * 1024 * 1024, ge=1)
    """The same in bytes: a body is 25 KB on average and 900 KB at most."""

    security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    sasl_mechanism: Literal["SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN"] = "SCRAM-SHA-512"
    sasl_username: str = ""
    sasl_password: SecretStr = SecretStr("")
    ca_file: str = ""
    """PEM of the authorities that sign the brokers' certificates; empty: the machine's own."""
    certificate_file: str = ""
    """PEM of this process's own certificate, for mutual TLS."""
    key_file: str = ""

    @model_validator(mode="after")
    def _session_shorter_than_turn(self) -> Self:
        # A member under rebalance keeps its session alive by commits until this runs out: were it
        # shorter, Liveness would hold beyond the loss of the partitions.
        if self.longest_turn < 2 * self.session_timeout:
            raise ValueError("longest_turn must be at least twice session_timeout")
        return self

    def name(self, plain: str) -> str:
        """A topic's, group's or transaction's name in the cluster."""
        return f"{self.prefix}{plain}"


def client_options(settings: KafkaSettings) -> dict[str, Any]:
    """What every client of the cluster needs, in librdkafka's words."""
    options: dict[str, Any] = {
        "bootstrap.servers": settings.servers,
        "security.protocol": settings.security_protocol,
        # A broker that is back is noticed soon.
        "reconnect.backoff.max.ms": 1_000,
        "log_level": 3,
    }
    if settings.security_protocol.startswith("SASL"):
        options["sasl.mechanism"] = settings.sasl_mechanism
        options["sasl.username"] = settings.sasl_username
        options["sasl.password"] = settings.sasl_password.get_secret_value()
    if settings.security_protocol.endswith("SSL"):
        files = {
            "ssl.ca.location": settings.ca_file,
            "ssl.certificate.location": settings.certificate_file,
            "ssl.key.location": settings.key_file,
        }
        options |= {name: path for name, path in files.items() if path}
    return options


def consumer_options(settings: KafkaSettings, group: str) -> dict[str, Any]:
    session_ms = milliseconds(settings.session_timeout)
    return client_options(settings) | {
        "group.id": settings.name(group),
        "enable.auto.commit": False,
        # Every start is given as an offset: one that is not there means that records were lost.
        "auto.offset.reset": "error",
        "isolation.level": "read_committed",
        # Of all topics with one partition count a member gets the same partitions.
        "partition.assignment.strategy": "range",
        "session.timeout.ms": session_ms,
        "heartbeat.interval.ms": max(session_ms // 6, 100),
        "max.poll.interval.ms": milliseconds(settings.longest_turn),
        # Little is fetched ahead: what is paused is thrown away, and earlier steps' topics come sooner.
        "queued.min.messages": settings.intake_records,
        "queued.max.messages.kbytes": max(settings.intake_bytes // 1024, 1024),
        "fetch.queue.backoff.ms": 20,
        "fetch.wait.max.ms": 250,
        "fetch.error.backoff.ms": 100,
    }


def producer_options(settings: KafkaSettings) -> dict[str, Any]:
    return client_options(settings) | {
        "enable.idempotence": True,
        "acks": "all",
        "linger.ms": 5,
        "batch.size": 1_000_000,
        "compression.type": settings.compression,
        "message.timeout.ms": milliseconds(settings.publish_timeout),
        "queue.buffering.max.messages": 1_000_000,
        "delivery.report.only.error": True,
    }


def milliseconds(span: timedelta) -> int:
    return int(span.total_seconds() * 1000)
