"""One suite for every store of the admission_ columns."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace

import pytest
from nephila_contracts.v1.url_pb2 import DISCOVERY_SOURCE_LINK, URL_KIND_UNSPECIFIED
from nephila_runtime.database import Database
from nephila_storage.sqlite_url_state import SqliteUrlAdmissions
from nephila_storage.url_state import Admission, KnownUrl, UrlAdmissions
from nephila_urls import canonicalise, site_key, url_digest


@pytest.fixture(params=[SqliteUrlAdmissions], ids=["sqlite"])
def store(request: pytest.FixtureRequest) -> Iterator[UrlAdmissions]:
    database = Database.in_memory()
    yield request.param(database)
    database.close()


def admission(text: str, offset: int = 0, index: int = 0, depth: int = 1) -> Admission:
    url = canonicalise(text)
    return Admission(
        url=url,
        site_key=site_key(url),
        digest=url_digest(url),
        origin=(3, offset, index),
        kind=URL_KIND_UNSPECIFIED,
        depth=depth,
        redirect_hops=0,
        source=DISCOVERY_SOURCE_LINK,
        source_url="http://source.test/",
        first_seen_ms=1_800_000_000_000,
    )


def test_only_what_was_admitted_is_known(store: UrlAdmissions) -> None:
    async def run() -> None:
        rows = [admission(f"http://a{n % 7}.test/{n}", offset=n, index=n % 5) for n in range(200)]
        strangers = [admission(f"http://a{n % 7}.test/x{n}") for n in range(200)]
        await store.admit(rows)
        known = await store.known([(row.site_key, row.digest) for row in rows + strangers])
        assert known == {row.digest: KnownUrl(row.origin, row.depth) for row in rows}
        assert await store.count() == 200
        assert await store.known([]) == {}

    asyncio.run(run())


def test_a_row_admitted_again_takes_the_new_origin_and_depth(store: UrlAdmissions) -> None:
    async def run() -> None:
        row = admission("http://a.test/", offset=1, depth=5)
        await store.admit([row])
        await store.admit([replace(row, origin=(3, 9, 2), depth=2)])
        known = await store.known([(row.site_key, row.digest)])
        assert known == {row.digest: KnownUrl((3, 9, 2), 2)}
        assert await store.count() == 1

    asyncio.run(run())


def test_every_digest_comes_out_once(store: UrlAdmissions) -> None:
    async def run() -> None:
        rows = [admission(f"http://a{n % 100}.test/{n}") for n in range(25_000)]
        await store.admit(rows)
        chunks = [chunk async for chunk in store.digests()]
        assert sorted(digest for chunk in chunks for digest in chunk) == sorted(
            row.digest for row in rows
        )
        assert len(chunks) > 1

    asyncio.run(run())


def test_the_whole_admission_is_kept(store: UrlAdmissions) -> None:
    async def run() -> None:
        longest = admission("http://a.test/" + "b" * 1900, offset=2**45, index=499, depth=1000)
        await store.admit([longest])
        known = await store.known([(longest.site_key, longest.digest)])
        assert known[longest.digest].origin == (3, 2**45, 499)

    asyncio.run(run())
