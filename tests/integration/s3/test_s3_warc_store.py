"""The archive in S3: what others read there, what is bounded, and what is refused."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import pytest
from archive_readers import fastwarc_records, warcio_accepts
from captures import every_kind, response
from nephila_storage.page_store import Capture, Payload, Response
from nephila_storage.s3_objects import NotThere, S3Objects, S3Refused, S3Unavailable
from nephila_storage.s3_settings import S3Settings
from nephila_storage.s3_warc_store import S3WarcStore
from nephila_testkit.free_ports import free_tcp_port
from parsed_pages import page
from pydantic import SecretStr, ValidationError
from s3_buckets import BUCKET, client, fresh_folder, settings_of, store_of
from server_fixtures import S3Endpoint


def incompressible(number: int, size: int) -> Capture:
    capture = response(page(f"https://a.example/{number}", b"x", number))
    data = Random(number).randbytes(size)
    return replace(capture, content=Response(Payload(data, sha256(data).digest(), True, False)))


def contents(endpoint: S3Endpoint, settings: S3Settings) -> dict[str, bytes]:
    """Every object of the folder, as another client sees it."""
    s3 = client(endpoint)
    found: dict[str, bytes] = {}
    for entry in s3.list_objects(settings.bucket, settings.prefix, recursive=True):
        assert entry.object_name is not None
        answer = s3.get_object(settings.bucket, entry.object_name)
        found[entry.object_name] = answer.read()
        answer.close()
        answer.release_conn()
    return found


def test_a_range_of_an_object_is_the_record_and_its_index_leads_there(
    s3_endpoint: S3Endpoint, tmp_path: Path
) -> None:
    settings = fresh_folder(s3_endpoint)

    async def fill() -> list[str]:
        with closing(S3Objects(settings)) as objects:
            store = store_of(objects, settings)
            keys = [(await store.store(capture)).storage_key for capture in every_kind()]
            await store.prepare()
            return keys

    keys = asyncio.run(fill())
    index, warc = sorted(contents(s3_endpoint, settings).items())
    assert (index[0].removesuffix(".cdxj"), ".warc.gz") == (warc[0][:-8], warc[0][-8:])
    assert {key.split(":")[0] for key in keys} == {warc[0]}
    file = tmp_path / warc[0].rpartition("/")[2]
    file.write_bytes(warc[1])
    assert warcio_accepts(file)
    records = {record.offset: record for record in fastwarc_records(file)}
    assert records[0].fields["WARC-Filename"] == file.name
    lines = index[1].splitlines()
    assert lines == sorted(lines)
    assert len(lines) == 5
    for line in lines:
        entry = json.loads(line.split(b" ", 2)[2])
        assert entry["filename"] == file.name
        assert records[int(entry["offset"])].fields["WARC-Target-URI"] == entry["url"]
        assert f"{warc[0]}:{entry['offset']}:{entry['length']}" in keys


def test_a_commit_is_one_object_and_a_full_one_does_not_wait_for_it(
    s3_endpoint: S3Endpoint,
) -> None:
    settings = fresh_folder(s3_endpoint, object_bytes=50_000)

    async def scenario() -> None:
        with closing(S3Objects(settings)) as objects:
            store = store_of(objects, settings)
            for number in range(3):
                await store.store(incompressible(number, 10_000))
            assert contents(s3_endpoint, settings) == {}
            await store.prepare()
            assert len(contents(s3_endpoint, settings)) == 2
            for number in range(3, 20):
                await store.store(incompressible(number, 20_000))
            sizes = [len(data) for data in contents(s3_endpoint, settings).values()]
            assert len(sizes) > 8
            assert max(sizes) < 50_000 + 21_000

    asyncio.run(scenario())


def test_another_run_of_the_same_instance_stores_the_same_attempt_under_another_name(
    s3_endpoint: S3Endpoint,
) -> None:
    settings = fresh_folder(s3_endpoint)
    capture = every_kind()[0]

    async def run_once() -> str:
        with closing(S3Objects(settings)) as objects:
            store = store_of(objects, settings)
            key = (await store.store(capture)).storage_key
            await store.prepare()
            return key

    first, second = asyncio.run(run_once()), asyncio.run(run_once())
    assert first.split(":")[0] != second.split(":")[0]
    assert len(contents(s3_endpoint, settings)) == 4


def test_nothing_is_ever_overwritten(s3_endpoint: S3Endpoint) -> None:
    settings = fresh_folder(s3_endpoint)
    name = f"{settings.prefix}one"

    async def scenario() -> None:
        with closing(S3Objects(settings)) as objects:
            await objects.put(name, b"first")
            # The answer to a put may be lost, and the put sent again.
            await objects.put(name, b"first")
            for other in (b"other", b"firstly", b"firs"):
                with pytest.raises(S3Unavailable, match="nothing is overwritten"):
                    await objects.put(name, other)
            assert await objects.get(name, 0, 99) == b"first"

    asyncio.run(scenario())


def test_a_range_is_of_what_is_there(s3_endpoint: S3Endpoint) -> None:
    settings = fresh_folder(s3_endpoint)
    name = f"{settings.prefix}one"

    async def scenario() -> None:
        with closing(S3Objects(settings)) as objects:
            await objects.put(name, b"0123456789")
            assert await objects.get(name, 3, 4) == b"3456"
            assert await objects.get(name, 0, 1) == b"0"
            assert await objects.get(name, 8, 9) == b"89"
            assert await objects.get(name, 8, 0) == b""
            for place in ((name, 10, 1), (f"{name}x", 0, 1)):
                with pytest.raises(NotThere):
                    await objects.get(*place)

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"access_key": "nobody-known"}, "keys|NEPHILA_S3_ACCESS_KEY"),
        ({"secret_key": SecretStr("another-secret")}, "keys|NEPHILA_S3_SECRET_KEY"),
        ({"bucket": "not-made"}, "no such bucket: make it, or set NEPHILA_S3_BUCKET"),
    ],
)
def test_what_the_server_refuses_is_one_line_at_the_start(
    s3_endpoint: S3Endpoint, wrong: dict[str, Any], told: str
) -> None:
    fresh_folder(s3_endpoint)
    settings = settings_of(s3_endpoint, **{"bucket": BUCKET, **wrong})

    async def scenario() -> None:
        with closing(S3Objects(settings)) as objects:
            with pytest.raises(S3Refused, match=told) as refusal:
                await objects.check()
            line = str(refusal.value)
            assert "\n" not in line
            assert "secret" not in line

    asyncio.run(scenario())


def test_keys_that_are_right_pass_the_check(s3_endpoint: S3Endpoint) -> None:
    settings = fresh_folder(s3_endpoint)
    with closing(S3Objects(settings)) as objects:
        asyncio.run(objects.check())


def test_a_server_that_is_away_is_told_and_what_is_held_stays_bounded() -> None:
    endpoint = S3Endpoint(f"127.0.0.1:{free_tcp_port()}", "nephila", "nephila-secret-key")
    settings = settings_of(endpoint, BUCKET, object_bytes=50_000, attempts=1)

    async def refused(act: Callable[[], Awaitable[object]]) -> None:
        with pytest.raises(S3Unavailable, match="is away") as error:
            await act()
        assert "\n" not in str(error.value)

    async def scenario() -> None:
        with closing(S3Objects(settings)) as objects:
            store: S3WarcStore = store_of(objects, settings)
            await refused(objects.check)
            for number in range(3):
                await store.store(incompressible(number, 20_000))
            # A caller that goes on all the same fills no memory.
            for number in range(3, 9):
                await refused(lambda number=number: store.store(incompressible(number, 20_000)))
            await refused(store.prepare)

    asyncio.run(scenario())


GIVEN: dict[str, Any] = {
    "endpoint": "https://s3.example",
    "access_key": "one-of-ours",
    "secret_key": SecretStr("known-to-nobody"),
}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"access_key": "minioadmin"}, "everybody knows"),
        ({"secret_key": SecretStr("minioadmin")}, "everybody knows"),
        ({"access_key": "MinioAdmin"}, "everybody knows"),
        ({"access_key": ""}, "too short"),
        ({"secret_key": SecretStr("short77")}, "too short"),
        ({"endpoint": "http://s3.example"}, "not encrypted"),
        ({"endpoint": "s3.example:9000"}, "write https://"),
        ({"endpoint": "https://s3.example/folder"}, "without a path"),
        ({"endpoint": "https://me:secret@s3.example"}, "keys have settings"),
        ({"prefix": "no-slash"}, "pattern"),
        ({"prefix": "a:b/"}, "pattern"),
    ],
)
def test_settings_that_are_not_safe_are_refused_without_showing_a_key(
    wrong: dict[str, Any], told: str
) -> None:
    S3Settings(**GIVEN)
    with pytest.raises(ValidationError) as error:
        S3Settings(**{**GIVEN, **wrong})
    (fault,) = error.value.errors()
    assert told in fault["msg"]
    assert "\n" not in fault["msg"]
    for secret in ("known-to-nobody", "short77", "me:secret"):
        assert secret not in str(error.value)
