"""One suite for every page store."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing
from hashlib import sha256
from pathlib import Path
from typing import Protocol

import pytest
from captures import every_kind, response
from nephila_runtime.database import Database
from nephila_storage.file_warc_store import FileWarcStore
from nephila_storage.page_store import Capture, NothingStored, PageStore, Stored
from nephila_storage.s3_objects import S3Objects
from parsed_pages import page, warc_store
from s3_buckets import fresh_folder, store_of
from server_fixtures import S3Endpoint


class Opened(Protocol):
    """A store with the host's commit around it, and the same pages opened by a later run."""

    @property
    def store(self) -> PageStore: ...

    async def commit(self) -> None: ...

    async def restart(self) -> None: ...


class InFiles:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.database = Database.in_memory()
        self.store: FileWarcStore = warc_store(folder, self.database, file_bytes=100_000)

    async def commit(self) -> None:
        with self.database.transaction():
            await self.store.prepare()

    async def restart(self) -> None:
        self.store.close()
        self.store = warc_store(self._folder, self.database, file_bytes=100_000)


class InS3:
    def __init__(self, endpoint: S3Endpoint) -> None:
        self._settings = fresh_folder(endpoint, object_bytes=100_000)
        self.objects = S3Objects(self._settings)
        self.store = store_of(self.objects, self._settings)

    async def commit(self) -> None:
        await self.store.prepare()

    async def restart(self) -> None:
        # A run's names begin with the millisecond of its start.
        await asyncio.sleep(0.002)
        self.store = store_of(self.objects, self._settings)


class PageStoreLaws:
    """Laws of every page store. `opened` gives an empty one."""

    def opened(self) -> AbstractAsyncContextManager[Opened]:
        raise AssertionError("a subclass gives the store")

    def on_store(self, scenario: Callable[[Opened], Awaitable[None]]) -> None:
        async def main() -> None:
            async with self.opened() as opened:
                await scenario(opened)

        asyncio.run(main())

    def test_what_was_stored_is_read_before_and_after_the_commit_and_a_restart(self) -> None:
        async def scenario(on: Opened) -> None:
            captures = every_kind()
            stored = [await on.store.store(capture) for capture in captures]
            before = [await on.store.read(each.storage_key) for each in stored]
            await on.commit()
            assert [await on.store.read(each.storage_key) for each in stored] == before
            await on.restart()
            assert [await on.store.read(each.storage_key) for each in stored] == before
            assert [read.fields["WARC-Target-URI"] for read in before] == [
                capture.url for capture in captures
            ]

        self.on_store(scenario)

    def test_a_payload_is_the_bytes_that_were_served(self) -> None:
        async def scenario(on: Opened) -> None:
            pages = [page(f"https://a.example/{n}", b"%d" % n * 9_000, n) for n in range(1, 40)]
            stored = [await on.store.store(response(message)) for message in pages]
            await on.commit()
            for message, each in zip(pages, stored, strict=True):
                read = await on.store.read(each.storage_key)
                assert read.payload == message.body.data
                digest = sha256(read.payload).hexdigest()
                assert read.fields["WARC-Payload-Digest"] == f"sha256:{digest}"

        self.on_store(scenario)

    def test_a_text_has_a_key_of_its_own(self) -> None:
        async def scenario(on: Opened) -> None:
            stored: list[tuple[Capture, Stored]] = [
                (capture, await on.store.store(capture)) for capture in every_kind()
            ]
            await on.commit()
            for capture, each in stored:
                assert bool(each.text_key) == bool(capture.text)
                if capture.text:
                    assert (await on.store.read(each.text_key)).payload == capture.text

        self.on_store(scenario)

    def test_no_two_captures_share_a_key(self) -> None:
        async def scenario(on: Opened) -> None:
            keys: list[str] = []
            for _ in range(3):
                keys += [
                    (await on.store.store(capture)).storage_key for capture in every_kind() * 3
                ]
                await on.commit()
            assert len(set(keys)) == len(keys)

        self.on_store(scenario)

    def test_a_commit_of_nothing_changes_nothing(self) -> None:
        async def scenario(on: Opened) -> None:
            await on.commit()
            key = (await on.store.store(every_kind()[0])).storage_key
            await on.commit()
            await on.commit()
            assert (await on.store.read(key)).fields["WARC-Type"] == "response"

        self.on_store(scenario)

    @pytest.mark.parametrize(
        "key",
        [
            "",
            "{name}",
            "{name}:{offset}",
            "{name}:{offset}:0",
            "{name}:{offset}:{shorter}",
            "{name}:{later}:{length}",
            "{name}:99999999:{length}",
            "{name}:999999999999999999999999:{length}",
            "{name}:-{offset}:{length}",
            "x{name}:{offset}:{length}",
            "../../etc/passwd:{offset}:{length}",
        ],
    )
    def test_a_key_of_nothing_is_told(self, key: str) -> None:
        async def scenario(on: Opened) -> None:
            stored = await on.store.store(every_kind()[0])
            name, offset, length = stored.storage_key.split(":")
            parts = {"shorter": int(length) - 1, "later": int(offset) + 1}
            wrong = key.format(name=name, offset=offset, length=length, **parts)
            for _ in range(2):
                with pytest.raises(NothingStored):
                    await on.store.read(wrong)
                await on.commit()

        self.on_store(scenario)


class TestFileWarcStore(PageStoreLaws):
    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self.folder = tmp_path

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Opened]:
        opened = InFiles(self.folder)
        with closing(opened.database):
            yield opened
            opened.store.close()


class TestS3WarcStore(PageStoreLaws):
    @pytest.fixture(autouse=True)
    def _server(self, s3_endpoint: S3Endpoint) -> None:
        self.endpoint = s3_endpoint

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[Opened]:
        opened = InS3(self.endpoint)
        with closing(opened.objects):
            yield opened
