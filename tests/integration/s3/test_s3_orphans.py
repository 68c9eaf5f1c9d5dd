"""The sweep: it deletes what no storage key names, once it is old, and nothing else."""

import asyncio
from contextlib import closing
from datetime import timedelta

import pytest
from captures import every_kind
from nephila_runtime import SystemClock
from nephila_storage.s3_objects import S3Objects
from nephila_storage.s3_orphans import LEAST_AGE, orphans, sweep_orphans
from s3_buckets import each, fresh_folder, store_of
from server_fixtures import S3Endpoint

DAY = timedelta(days=1)


class Later(SystemClock):
    """As if two days had passed since the objects were put."""

    def wall_ms(self) -> int:
        return super().wall_ms() + 2 * 86_400_000


def test_an_old_orphan_is_swept_and_nothing_else(s3_endpoint: S3Endpoint) -> None:
    settings = fresh_folder(s3_endpoint)

    async def scenario() -> None:
        with closing(S3Objects(settings)) as objects:
            store = store_of(objects, settings)
            keys: list[str] = []
            for capture in every_kind():
                stored = await store.store(capture)
                keys += [stored.text_key or stored.storage_key]
                await store.prepare()
            foreign = f"{settings.prefix}note.txt"
            await objects.put(foreign, b"somebody else's")
            beside = f"{settings.prefix[:-1]}-other/a.warc.gz"
            await objects.put(beside, b"another crawl's")
            everything = {entry.name for entry in await objects.listed(settings.prefix[:-1])}
            lost, kept = keys[1].split(":")[0], [keys[0], *keys[2:], ""]
            young = await sweep_orphans(objects, settings, SystemClock(), each(kept), DAY)
            assert young == []
            expected = [lost.replace(".warc.gz", ".cdxj"), lost]
            assert await orphans(objects, settings, Later(), each(kept), DAY) == expected
            assert await sweep_orphans(objects, settings, Later(), each(kept), DAY) == expected
            left = {entry.name for entry in await objects.listed(settings.prefix[:-1])}
            assert left == everything - set(expected)
            for key in kept[:-1]:
                await store.read(key)

    asyncio.run(scenario())


def test_keys_of_another_crawl_sweep_nothing(s3_endpoint: S3Endpoint) -> None:
    settings = fresh_folder(s3_endpoint)

    async def scenario() -> None:
        with closing(S3Objects(settings)) as objects:
            store = store_of(objects, settings)
            key = (await store.store(every_kind()[0])).storage_key
            await store.prepare()
            for keys in ([], ["pages/other.warc.gz:0:9"], [key, "unreadable"]):
                with pytest.raises(ValueError, match="storage key"):
                    await sweep_orphans(objects, settings, Later(), each(keys), DAY)
            too_young = LEAST_AGE - timedelta(seconds=1)
            with pytest.raises(ValueError, match="commit under way"):
                await sweep_orphans(objects, settings, Later(), each([key]), too_young)
            await store.read(key)

    asyncio.run(scenario())
