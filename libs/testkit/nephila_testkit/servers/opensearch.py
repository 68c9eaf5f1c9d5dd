"""OpenSearch: one node without security, made of jars alone by `OpensearchNode.java`."""

from pathlib import Path

from nephila_testkit.servers import java
from nephila_testkit.servers.asking import http_status
from nephila_testkit.servers.daemon import Command
from nephila_testkit.servers.server import Kind, Place

_VERSION = "2.19.6"
_COORDINATES = (
    f"org.opensearch:opensearch:{_VERSION}",
    f"org.opensearch.plugin:transport-netty4-client:{_VERSION}",
    f"org.opensearch.plugin:analysis-common:{_VERSION}",
    f"org.opensearch.plugin:lang-painless:{_VERSION}",
    "org.apache.logging.log4j:log4j-core:2.25.4",
)
_MAIN = Path(__file__).with_name("OpensearchNode.java")
# Measured: 310 MB resident when idle.
_HEAP = "512m"


def _install() -> list[str]:
    """The class path."""
    library = java.jars("opensearch", _COORDINATES)
    return [str(java.compiled(_MAIN, library)), f"{library}/*"]


def _command(place: Place) -> Command:
    for folder in ("config", "tmp"):
        (place.directory / folder).mkdir(exist_ok=True)
    options = [
        "-Xss1m",
        "-XX:+UseG1GC",
        "-XX:MaxDirectMemorySize=256m",
        f"-Djava.io.tmpdir={place.directory}/tmp",
        f"-Djna.tmpdir={place.directory}/tmp",
        "-Dfile.encoding=UTF-8",
        # As in OpenSearch's own jvm.options.
        "-Dio.netty.noUnsafe=true",
        "-Dio.netty.noKeySetOptimization=true",
        "-Dio.netty.recycler.maxCapacityPerThread=0",
        "-Dlog4j.shutdownHookEnabled=false",
        "-Dlog4j2.disable.jmx=true",
    ]
    program = java.program(_HEAP, options, _install(), "OpensearchNode")
    arguments = [*program, str(place.directory), *(str(port) for port in place.ports)]
    return Command(arguments, {"MALLOC_ARENA_MAX": "2"})


def _is_ready(place: Place) -> bool:
    """After a restart the shards come back after the node."""
    target = "/_cluster/health?wait_for_status=yellow&timeout=900ms"
    return http_status(place.ports[0], target) == 200


OPENSEARCH = Kind(
    name="opensearch",
    ports=2,
    install=_install,
    command=_command,
    is_ready=_is_ready,
    starts_within_s=120,
    ends_within_s=15,
)
