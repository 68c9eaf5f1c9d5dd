"""Real servers for tests: `kafka_address` and its kin, one server a test run, shared by its workers.

`--kafka=host:port` and its kin take a server that runs instead; `--s3` also as
`ACCESS_KEY:SECRET_KEY@host:port`. A server that cannot be had is a failure, never a skip.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from nephila_testkit.servers import ACCESS_KEY, NAMES, SECRET_KEY, Server, Servers, SharedServers

RUN = pytest.StashKey[SharedServers]()
STARTING = {
    "kafka_address",
    "cassandra_address",
    "redis_address",
    "s3_endpoint",
    "opensearch_address",
    "own_server",
}
# Instead of the limit of other tests; on a machine busy with other work too.
STARTS_WITHIN_S = 400


@dataclass(frozen=True, slots=True)
class S3Endpoint:
    """An S3 server over plain HTTP."""

    address: str
    access_key: str
    secret_key: str


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("servers")
    for name in NAMES:
        group.addoption(
            f"--{name}",
            metavar="HOST:PORT",
            dest=f"{name}_server",
            help=f"takes the {name} server that runs there instead of starting one",
        )


def pytest_configure(config: pytest.Config) -> None:
    told: dict[str, Any] = getattr(config, "workerinput", {})
    if "servers" in told:
        config.stash[RUN] = SharedServers(Path(told["servers"]), told["servers_main_pid"])
    else:
        config.stash[RUN] = SharedServers.of_this_process()


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """xdist: what the main process tells a worker."""
    run = node.config.stash[RUN]
    node.workerinput["servers"] = str(run.directory)
    node.workerinput["servers_main_pid"] = run.main_pid


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks what asks for a server, before -m chooses; the first test to ask waits until it has started."""
    for item in items:
        if not STARTING & set(getattr(item, "fixturenames", ())):
            continue
        item.add_marker(pytest.mark.servers)
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(STARTS_WITHIN_S))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """The main process ends the servers, once its workers have ended."""
    if not hasattr(session.config, "workerinput"):
        session.config.stash[RUN].end(keep_logs=bool(session.testsfailed))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    directory = config.stash[RUN].directory
    if directory.exists():
        terminalreporter.write_line(f"logs of the servers: {directory}")


@pytest.fixture(scope="session")
def kafka_address(pytestconfig: pytest.Config) -> str:
    """host:port of a broker that makes no topic by itself."""
    return _address(pytestconfig, "kafka")


@pytest.fixture(scope="session")
def cassandra_address(pytestconfig: pytest.Config) -> str:
    """host:port for CQL. Tables are slow to make: a keyspace a session, then TRUNCATE."""
    return _address(pytestconfig, "cassandra")


@pytest.fixture(scope="session")
def redis_address(pytestconfig: pytest.Config) -> str:
    """host:port of a Redis with RedisBloom; workers share it, so a test's keys need its own prefix."""
    return _address(pytestconfig, "redis")


@pytest.fixture(scope="session")
def s3_endpoint(pytestconfig: pytest.Config) -> S3Endpoint:
    """An S3 server without buckets of anybody but its tests."""
    keys, _, address = _address(pytestconfig, "s3").rpartition("@")
    access_key, _, secret_key = keys.partition(":")
    return S3Endpoint(address, access_key or ACCESS_KEY, secret_key or SECRET_KEY)


@pytest.fixture(scope="session")
def opensearch_address(pytestconfig: pytest.Config) -> str:
    """host:port for HTTP."""
    return _address(pytestconfig, "opensearch")


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Callable[[str], Server]]:
    """A server of this test alone, by name, to be started, killed and started again at will."""
    servers = Servers.at(tmp_path)

    def named(name: str) -> Server:
        (server,) = servers.named([name])
        return server

    yield named
    servers.stop()


def _address(config: pytest.Config, name: str) -> str:
    return config.getoption(f"{name}_server") or config.stash[RUN].address(name)
