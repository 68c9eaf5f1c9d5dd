"""A server that dies in an upload: nothing is told of what was not stored, and the next run stores it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from captures import response
from nephila_contracts import topics
from nephila_contracts.v1.url_pb2 import UrlDiscovered
from nephila_runtime import Handled, Record, SystemClock
from nephila_runtime.database import Database
from nephila_runtime.embedded_host import EmbeddedHost, EmbeddedSettings
from nephila_runtime.embedded_log import EmbeddedLog
from nephila_storage.page_store import Capture, Payload, Response
from nephila_storage.s3_objects import S3Objects, S3Unavailable
from nephila_storage.s3_settings import S3Settings
from nephila_storage.s3_warc_store import S3WarcStore
from nephila_testkit.conformance.host_harness import admitted, discovered, name_of, service
from nephila_testkit.servers import ACCESS_KEY, SECRET_KEY, Server
from parsed_pages import page
from s3_buckets import fresh_folder, store_of
from server_fixtures import S3Endpoint

PAGE_BYTES = 4_000_000


def capture_of(name: str) -> Capture:
    data = Random(name).randbytes(PAGE_BYTES)
    capture = response(page(f"https://a.test/{name}", b"x"))
    return replace(capture, content=Response(Payload(data, sha256(data).digest(), True, False)))


@asynccontextmanager
async def relay(address: str, after_bytes: int, act: Callable[[], object]) -> AsyncGenerator[str]:
    """An address that leads to the server, and does something once so many bytes have passed."""
    host, _, port = address.partition(":")
    passed = 0
    tasks: set[asyncio.Task[None]] = set()

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal passed
        try:
            while data := await reader.read(65_536):
                before, passed = passed, passed + len(data)
                if before < after_bytes <= passed:
                    act()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection(host, int(port))
        except OSError:
            writer.close()
            return
        for pumped in (pump(reader, back), pump(there, writer)):
            task = asyncio.create_task(pumped)
            tasks.add(task)

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield "{}:{}".format(*server.sockets[0].getsockname())
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


class Crawl:
    """One step that stores a page a message and tells its key, on the embedded host over one database."""

    def __init__(self, path: Path) -> None:
        self._database = Database.open_for_simulation(path)
        self.keys: list[str] = []

    def close(self) -> None:
        self._database.close()

    def publish(self, *names: str) -> None:
        log = self._log()
        with self._database.transaction():
            log.append([discovered("a.test", name) for name in names])
            log.flush()

    async def run(self, settings: S3Settings) -> None:
        """Until everything is handled. Raises what ended the run before."""
        with closing(S3Objects(settings)) as objects:
            host = self._host(store_of(objects, settings))
            stop = asyncio.Event()
            running = asyncio.create_task(host.run(stop))
            while not running.done():
                await asyncio.sleep(0.02)
                if host.idle():
                    stop.set()
            await running

    def _host(self, store: S3WarcStore) -> EmbeddedHost:
        async def keep(batch: Sequence[Record[UrlDiscovered]]) -> Handled:
            self.keys = [
                (await store.store(capture_of(name_of(record)))).storage_key for record in batch
            ]
            return Handled([admitted("a.test", key) for key in self.keys])

        return EmbeddedHost(
            self._database,
            [service(keep)],
            SystemClock(),
            participants=[store],
            kept=topics.ALL,
            settings=EmbeddedSettings(partitions=1),
        )

    def told(self) -> list[str]:
        """The storage keys of the events that were committed."""
        found = self._log().topic(topics.URL_ADMITTED.name).take(0, 0, 99)
        return [record.message.url for record in found]

    def _log(self) -> EmbeddedLog:
        return EmbeddedLog(self._database, topics.ALL, partitions=1)


@pytest.mark.parametrize("after_bytes", [1_000_000, 8_000_200])
def test_a_server_killed_in_an_upload_lets_nothing_be_acknowledged(
    own_server: Callable[[str], Server], tmp_path: Path, after_bytes: int
) -> None:
    s3 = own_server("s3")
    s3.start()
    settings = fresh_folder(S3Endpoint(s3.address, ACCESS_KEY, SECRET_KEY), attempts=2)

    async def scenario(crawl: Crawl) -> None:
        crawl.publish("one", "two")
        async with relay(s3.address, after_bytes, s3.kill) as address:
            through = settings.model_copy(update={"endpoint": f"http://{address}"})
            with pytest.raises(S3Unavailable):
                await crawl.run(through)
        first = crawl.keys
        assert len(first) == 2
        assert crawl.told() == []
        with pytest.raises(S3Unavailable):
            await crawl.run(settings)
        assert crawl.told() == []
        s3.start()
        await crawl.run(settings)
        assert crawl.told() == crawl.keys
        assert not {key.split(":")[0] for key in first} & {key.split(":")[0] for key in crawl.keys}
        with closing(S3Objects(settings)) as objects:
            store = store_of(objects, settings)
            for name, key in zip(("one", "two"), crawl.told(), strict=True):
                kept = capture_of(name).content
                assert isinstance(kept, Response)
                assert (await store.read(key)).payload == kept.payload.data

    with closing(Crawl(tmp_path / "crawl.db")) as crawl:
        asyncio.run(scenario(crawl))
