"""Kafka: one node, broker and controller in one process (KRaft)."""

import subprocess

from nephila_testkit.servers import java
from nephila_testkit.servers.daemon import Command
from nephila_testkit.servers.server import HOST, Kind, NotReady, Place

_COORDINATES = (
    "org.apache.kafka:kafka_2.13:4.4.0",
    # Brings the broker's log to log4j2.
    "org.apache.logging.log4j:log4j-slf4j-impl:2.25.5",
)
# Measured under load: 460 MB resident.
_HEAP = "512m"
_CLUSTER_ID = "bmVwaGlsYS10ZXN0a2l0MQ"

_LOGGING = """\
status = error
appender.console.type = Console
appender.console.name = STDOUT
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d{ISO8601} %p %m (%c)%n
rootLogger.level = info
rootLogger.appenderRefs = stdout
rootLogger.appenderRef.stdout.ref = STDOUT
"""


def _install() -> str:
    java.jdk()
    return str(java.jars("kafka", _COORDINATES))


def _command(place: Place) -> Command:
    settings = place.directory / "server.properties"
    logging = place.directory / "log4j2.properties"
    settings.write_text(_settings(place))
    logging.write_text(_LOGGING)
    classpath = [f"{_install()}/*"]
    options = [f"-Dlog4j2.configurationFile={logging}"]
    if not (place.directory / "data" / "meta.properties").exists():
        quick = [*options, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"]
        tool = java.program("128m", quick, classpath, "kafka.tools.StorageTool")
        _format([*tool, "format", "-t", _CLUSTER_ID, "-c", str(settings)])
    options += ["-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20", "-XX:+ExplicitGCInvokesConcurrent"]
    return Command([*java.program(_HEAP, options, classpath, "kafka.Kafka"), str(settings)])


def _format(command: list[str]) -> None:
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode:
        raise NotReady(f"kafka cannot format its folder:\n{ended.stdout}")


def _settings(place: Place) -> str:
    client, controller = place.ports
    return f"""\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@{HOST}:{controller}
listeners=PLAINTEXT://{HOST}:{client},CONTROLLER://{HOST}:{controller}
advertised.listeners=PLAINTEXT://{HOST}:{client}
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={place.directory}/data

# One node; few partitions of its own topics make a quick start.
default.replication.factor=1
min.insync.replicas=1
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
share.coordinator.state.topic.num.partitions=1

# Topics are made from the contracts, never by a spelling mistake.
auto.create.topics.enable=false

# Groups form at once and see a dead member within seconds.
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
group.consumer.min.session.timeout.ms=1000
group.consumer.min.heartbeat.interval.ms=500
group.consumer.session.timeout.ms=6000
group.consumer.heartbeat.interval.ms=1000
group.coordinator.threads=1
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
controlled.shutdown.enable=false

# A small machine.
num.network.threads=2
num.io.threads=4
background.threads=2
num.recovery.threads.per.data.dir=1
log.cleaner.dedupe.buffer.size=16777216
log.segment.bytes=134217728
log.retention.hours=24
"""


def _is_ready(place: Place) -> bool:
    return place.process.said("Kafka Server started")


KAFKA = Kind(
    name="kafka",
    ports=2,
    install=_install,
    command=_command,
    is_ready=_is_ready,
    starts_within_s=90,
    ends_within_s=15,
)
