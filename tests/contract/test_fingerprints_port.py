"""Every Fingerprints answers like a list of all pages that is searched from end to end."""

import asyncio
from collections.abc import Iterator
from hashlib import sha256
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from nephila_runtime.database import Database
from nephila_storage.fingerprints import NEAR_BITS, Fingerprints, PageFingerprint
from nephila_storage.simhash_blocks import block, distance, rotations, unrotated
from nephila_storage.sqlite_fingerprints import SqliteFingerprints
from nephila_urls import CanonicalUrl

_SIMHASHES = st.integers(1, (1 << 64) - 1)


@pytest.fixture(params=["sqlite"])
def fingerprints() -> Iterator[Fingerprints]:
    database = Database.in_memory()
    yield SqliteFingerprints(database)
    database.close()


def named(number: int, simhash: int) -> PageFingerprint:
    return PageFingerprint(
        CanonicalUrl(f"https://a.example/{number}"), sha256(b"%d" % number).digest(), simhash
    )


def flipped(simhash: int, bits: list[int]) -> int:
    for bit in set(bits):
        simhash ^= 1 << bit
    return simhash


def test_a_page_is_found_by_its_content(fingerprints: Fingerprints) -> None:
    one, other = named(1, 0), named(2, 0)
    asyncio.run(fingerprints.hold([one]))
    found = asyncio.run(fingerprints.holders([one.content_hash, other.content_hash]))
    assert found == {one.content_hash: one.url}


def test_a_page_takes_over_what_another_held(fingerprints: Fingerprints) -> None:
    one = named(1, 77)
    other = PageFingerprint(CanonicalUrl("https://b.example/"), one.content_hash, 77)
    asyncio.run(fingerprints.hold([one, other]))
    asyncio.run(fingerprints.release([one]))
    assert asyncio.run(fingerprints.holders([one.content_hash])) == {one.content_hash: other.url}
    assert asyncio.run(fingerprints.near([77])) == {77: [other.url]}


def test_what_is_released_is_found_no_more(fingerprints: Fingerprints) -> None:
    one = named(1, 77)
    asyncio.run(fingerprints.hold([one]))
    asyncio.run(fingerprints.release([one]))
    assert asyncio.run(fingerprints.holders([one.content_hash])) == {}
    assert asyncio.run(fingerprints.near([77])) == {}


@given(_SIMHASHES, st.lists(st.integers(0, 63), max_size=5))
def test_near_is_at_most_three_bits(simhash: int, bits: list[int]) -> None:
    other = flipped(simhash, bits)
    assume(other)
    database = Database.in_memory()
    fingerprints = SqliteFingerprints(database)
    asyncio.run(fingerprints.hold([named(1, simhash)]))
    expected = {other: [named(1, 0).url]} if distance(simhash, other) <= NEAR_BITS else {}
    assert asyncio.run(fingerprints.near([other])) == expected
    database.close()


def test_all_near_pages_are_found_the_nearest_first(fingerprints: Fingerprints) -> None:
    random = Random(5)
    pages: dict[int, PageFingerprint] = {}
    centres = [random.getrandbits(64) for _ in range(20)]
    while len(pages) < 800:
        bits = [random.randrange(64) for _ in range(random.randrange(5))]
        simhash = flipped(random.choice([*centres, random.getrandbits(64)]), bits)
        pages[simhash] = named(len(pages), simhash)
    asyncio.run(fingerprints.hold(list(pages.values())))
    found = asyncio.run(fingerprints.near(centres))
    for centre in centres:
        near = [each for each in pages.values() if distance(each.simhash, centre) <= NEAR_BITS]
        near.sort(key=lambda each: (distance(each.simhash, centre), each.simhash))
        assert found.get(centre, []) == [each.url for each in near]


def test_a_crowded_bucket_still_gives_the_nearest() -> None:
    """A cap may hide some, but not the page that shares most of the simhash's beginning."""
    database = Database.in_memory()
    fingerprints = SqliteFingerprints(database, bucket_cap=8)
    random = Random(6)
    crowd = [named(n, (0xABCD << 48) | random.getrandbits(48)) for n in range(3000)]
    twin = named(9999, crowd[1500].simhash ^ 1)
    asyncio.run(fingerprints.hold([*crowd, twin]))
    assert twin.url in asyncio.run(fingerprints.near([crowd[1500].simhash]))[crowd[1500].simhash]
    database.close()


@given(_SIMHASHES, st.integers(0, 3))
def test_turning_back_gives_the_simhash(simhash: int, index: int) -> None:
    turned = rotations(simhash)[index]
    assert unrotated(turned, index) == simhash
    assert block(turned) == (simhash >> (48 - 16 * index)) & 0xFFFF


def test_what_was_held_long_ago_is_found_and_released_like_what_is_new(
    fingerprints: Fingerprints,
) -> None:
    """Old and new lie in different tables where a store tells them apart."""
    random = Random(7)
    old, new = named(1, random.getrandbits(64)), named(2, random.getrandbits(64))
    between = [named(3 + n, random.getrandbits(64)) for n in range(5_000)]
    for page in (old, *between[:4_500]):
        asyncio.run(fingerprints.hold([page]))
    asyncio.run(fingerprints.hold([*between[4_500:], new]))
    for page in (old, new):
        for bits in ([0, 20, 40], [10, 30, 60]):
            wanted = flipped(page.simhash, bits)
            assert asyncio.run(fingerprints.near([wanted])) == {wanted: [page.url]}
        asyncio.run(fingerprints.release([page]))
        assert asyncio.run(fingerprints.near([page.simhash])) == {}
