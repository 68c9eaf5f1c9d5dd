"""Writes something to a server and reads it again, each by the client library that the product uses."""

import io
import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import TypeVar

from cassandra.cluster import EXEC_PROFILE_DEFAULT, Cluster, ExecutionProfile, Session
from cassandra.policies import RoundRobinPolicy
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic
from minio import Minio
from nephila_testkit.servers import ACCESS_KEY, SECRET_KEY
from redis import Redis

T = TypeVar("T")

COUNT = 100


@dataclass(frozen=True, slots=True)
class Conversation:
    """`write` leaves COUNT values at an address; `read` counts those that are there."""

    write: Callable[[str], None]
    read: Callable[[str], int]


def _kafka_write(address: str) -> None:
    admin = AdminClient({"bootstrap.servers": address})
    admin.create_topics([NewTopic("kept", 4, 1)])["kept"].result(20)
    producer = Producer({"bootstrap.servers": address, "enable.idempotence": True})
    for number in range(COUNT):
        producer.produce("kept", b"value", str(number).encode())
    assert producer.flush(20) == 0


def _kafka_read(address: str) -> int:
    group = {"group.id": str(uuid.uuid4()), "auto.offset.reset": "earliest"}
    reader = Consumer({"bootstrap.servers": address, **group})
    reader.subscribe(["kept"])
    found: set[bytes | str | None] = set()
    try:
        while len(found) < COUNT and (message := reader.poll(20)) is not None:
            if message.error() is None:
                found.add(message.key())
    finally:
        reader.close()
    return len(found)


def _with_session(address: str, use: Callable[[Session], T]) -> T:
    host, _, port = address.partition(":")
    profiles = {EXEC_PROFILE_DEFAULT: ExecutionProfile(RoundRobinPolicy())}
    cluster = Cluster([host], int(port), execution_profiles=profiles, protocol_version=5)
    try:
        return use(cluster.connect())
    finally:
        cluster.shutdown()


def _cassandra_write(address: str) -> None:
    def write(session: Session) -> None:
        replication = "{'class': 'SimpleStrategy', 'replication_factor': 1}"
        session.execute(f"CREATE KEYSPACE kept WITH replication = {replication}")
        session.execute("CREATE TABLE kept.kept (key int PRIMARY KEY, value text)")
        insert = session.prepare("INSERT INTO kept.kept (key, value) VALUES (?, 'value')")
        for number in range(COUNT):
            session.execute(insert, (number,))

    _with_session(address, write)


def _cassandra_read(address: str) -> int:
    return _with_session(
        address, lambda session: len(list(session.execute("SELECT key FROM kept.kept")))
    )


def _redis(address: str) -> Redis:
    host, _, port = address.partition(":")
    return Redis(host, int(port))


def _redis_write(address: str) -> None:
    with _redis(address) as redis:
        redis.execute_command("BF.RESERVE", "kept", "0.000001", "10000", "NONSCALING")
        redis.execute_command("BF.MADD", "kept", *range(COUNT))


def _redis_read(address: str) -> int:
    with _redis(address) as redis:
        return sum(redis.execute_command("BF.MEXISTS", "kept", *range(COUNT)) or [])


def _s3_write(address: str) -> None:
    store = Minio(address, ACCESS_KEY, SECRET_KEY, secure=False)
    store.make_bucket("kept")
    for number in range(COUNT):
        store.put_object("kept", f"object/{number}", io.BytesIO(b"value"), 5)


def _s3_read(address: str) -> int:
    store = Minio(address, ACCESS_KEY, SECRET_KEY, secure=False)
    found = 0
    for entry in store.list_objects("kept", recursive=True):
        assert entry.object_name is not None
        with store.get_object("kept", entry.object_name, offset=1, length=3) as part:
            found += part.read() == b"alu"
    return found


def _opensearch(address: str, method: str, target: str, body: str = "") -> dict[str, object]:
    asking = HTTPConnection(address, timeout=30)
    try:
        asking.request(method, target, body, {"Content-Type": "application/x-ndjson"})
        answer = asking.getresponse()
        told = answer.read()
        assert answer.status < 300, told
        return json.loads(told)
    finally:
        asking.close()


def _opensearch_write(address: str) -> None:
    lines = [
        f'{{"index": {{"_id": "{number}"}}}}\n{{"value": "kept"}}\n' for number in range(COUNT)
    ]
    told = _opensearch(address, "POST", "/kept/_bulk", "".join(lines))
    assert told["errors"] is False


def _opensearch_read(address: str) -> int:
    _opensearch(address, "POST", "/kept/_refresh")
    count = _opensearch(address, "GET", "/kept/_count?q=value:kept")["count"]
    assert isinstance(count, int)
    return count


CONVERSATIONS = {
    "kafka": Conversation(_kafka_write, _kafka_read),
    "cassandra": Conversation(_cassandra_write, _cassandra_read),
    "redis": Conversation(_redis_write, _redis_read),
    "s3": Conversation(_s3_write, _s3_read),
    "opensearch": Conversation(_opensearch_write, _opensearch_read),
}
