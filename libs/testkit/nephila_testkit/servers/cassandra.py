"""Cassandra: one node that owns the whole ring."""

from pathlib import Path

from nephila_testkit.servers import java
from nephila_testkit.servers.daemon import Command
from nephila_testkit.servers.server import HOST, Kind, Place

_COORDINATES = ("org.apache.cassandra:cassandra-all:5.0.9",)
# With the serial collector 0.9 to 1.0 GB resident; G1 and 768m take 1.2 to 1.4.
_HEAP = "512m"

# Inner packages of the JDK that Cassandra reaches into: its own jvm17-server.options.
_EXPORTS = (
    "java.base/jdk.internal.misc",
    "java.management.rmi/com.sun.jmx.remote.internal.rmi",
    "java.rmi/sun.rmi.registry",
    "java.rmi/sun.rmi.server",
    "java.sql/java.sql",
    "java.base/java.lang.ref",
    "jdk.unsupported/sun.misc",
    "jdk.compiler/com.sun.tools.javac.file",
    "jdk.attach/sun.tools.attach",
)
_OPENS = (
    "java.base/java.lang.module",
    "java.base/jdk.internal.loader",
    "java.base/jdk.internal.ref",
    "java.base/jdk.internal.reflect",
    "java.base/jdk.internal.math",
    "java.base/jdk.internal.module",
    "java.base/jdk.internal.util.jar",
    "jdk.management/com.sun.management.internal",
    "jdk.compiler/com.sun.tools.javac",
    "java.base/sun.nio.ch",
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.lang.reflect",
    "java.base/java.net",
    "java.base/java.nio",
    "java.base/java.util",
    "java.base/java.util.concurrent",
    "java.base/java.util.concurrent.atomic",
)

_LOGGING = """\
<configuration>
  <appender name="STDOUT" class="ch.qos.logback.core.ConsoleAppender">
    <encoder><pattern>%-5level %date{ISO8601} %F:%L - %msg%n</pattern></encoder>
  </appender>
  <root level="INFO"><appender-ref ref="STDOUT"/></root>
</configuration>
"""

_TUNING = """\
# A small machine.
memtable_heap_space: 128MiB
memtable_offheap_space: 128MiB
memtable_allocation_type: offheap_buffers
memtable_flush_writers: 1
file_cache_size: 64MiB
key_cache_size: 16MiB
counter_cache_size: 0MiB
networking_cache_size: 32MiB
concurrent_reads: 16
concurrent_writes: 16
concurrent_counter_writes: 4
concurrent_compactors: 1
compaction_throughput: 32MiB/s
native_transport_max_threads: 32
native_transport_max_frame_size: 16MiB
batch_size_warn_threshold: 1024KiB
batch_size_fail_threshold: 4096KiB
read_request_timeout: 10000ms
range_request_timeout: 20000ms
write_request_timeout: 10000ms
cas_contention_timeout: 5000ms
request_timeout: 20000ms
"""


def _install() -> Path:
    java.jdk()
    return java.jars("cassandra", _COORDINATES)


def _command(place: Place) -> Command:
    home, library = place.directory, _install()
    for folder in ("conf/triggers", "tmp"):
        (home / folder).mkdir(parents=True, exist_ok=True)
    (home / "conf" / "cassandra.yaml").write_text(_settings(place))
    (home / "conf" / "logback.xml").write_text(_LOGGING)
    classpath = [f"{home}/conf", f"{library}/*"]
    options = [*_options(library), *_places(home)]
    main = "org.apache.cassandra.service.CassandraDaemon"
    return Command(java.program(_HEAP, options, classpath, main), {"MALLOC_ARENA_MAX": "2"})


def _options(library: Path) -> list[str]:
    (agent,) = library.glob("jamm-*.jar")
    options = ["-Xss384k", "-XX:MaxDirectMemorySize=256m", "-XX:+UseSerialGC"]
    options += [f"-javaagent:{agent}", "-Djdk.attach.allowAttachSelf=true"]
    for export in _EXPORTS:
        options += ["--add-exports", f"{export}=ALL-UNNAMED"]
    for package in _OPENS:
        options += ["--add-opens", f"{package}=ALL-UNNAMED"]
    # As in Cassandra's own jvm-server.options.
    options += [
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dio.netty.allocator.useCacheForAllThreads=true",
        "-Dio.netty.allocator.maxOrder=11",
        "-Dsigar.native.logging=off",
    ]
    # Alone, it has nobody to wait for.
    return [
        *options,
        "-Dcassandra.skip_wait_for_gossip_to_settle=0",
        "-Dcassandra.ring_delay_ms=1",
        "-Dcassandra.shutdown_announce_in_ms=0",
        "-Dcassandra.superuser_setup_delay_ms=0",
        "-Dcassandra.available_processors=2",
    ]


def _places(home: Path) -> list[str]:
    return [
        f"-Djava.io.tmpdir={home}/tmp",
        f"-Djna.tmpdir={home}/tmp",
        f"-Dio.netty.native.workdir={home}/tmp",
        f"-Dlogback.configurationFile=file://{home}/conf/logback.xml",
        f"-Dcassandra.config=file://{home}/conf/cassandra.yaml",
        f"-Dcassandra.storagedir={home}/data",
        f"-Dcassandra.logdir={home}",
        "-Dcassandra-foreground=yes",
    ]


def _settings(place: Place) -> str:
    client, storage, storage_tls = place.ports
    data = place.directory / "data"
    return f"""\
cluster_name: nephila
num_tokens: 1
initial_token: 0
auto_bootstrap: false
partitioner: org.apache.cassandra.dht.Murmur3Partitioner
endpoint_snitch: SimpleSnitch
seed_provider:
  - class_name: org.apache.cassandra.locator.SimpleSeedProvider
    parameters:
      - seeds: "{HOST}:{storage}"
listen_address: {HOST}
storage_port: {storage}
ssl_storage_port: {storage_tls}
rpc_address: {HOST}
native_transport_port: {client}
authenticator: AllowAllAuthenticator
authorizer: AllowAllAuthorizer
user_defined_functions_enabled: false

data_file_directories: ["{data}/tables"]
commitlog_directory: "{data}/commitlog"
saved_caches_directory: "{data}/saved_caches"
hints_directory: "{data}/hints"
cdc_raw_directory: "{data}/cdc_raw"

# There is no second replica: a write is answered once it is on disk, so that kill -9 loses none.
commitlog_sync: batch
commitlog_segment_size: 16MiB
commitlog_total_space: 256MiB
disk_failure_policy: die
commit_failure_policy: die
hinted_handoff_enabled: false
auto_snapshot: false

{_TUNING}"""


def _is_ready(place: Place) -> bool:
    return place.process.said("Startup complete")


CASSANDRA = Kind(
    name="cassandra",
    ports=3,
    install=_install,
    command=_command,
    is_ready=_is_ready,
    starts_within_s=150,
    ends_within_s=20,
)
