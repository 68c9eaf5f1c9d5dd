"""Objects that a crash between upload and commit left: no storage key names them."""

from collections.abc import AsyncIterable
from datetime import timedelta

from nephila_runtime.clock import Clock, wall_datetime

from nephila_storage.page_store import NothingStored
from nephila_storage.s3_objects import S3Objects
from nephila_storage.s3_settings import S3Settings
from nephila_storage.s3_warc_store import INDEX_END, WARC_END
from nephila_storage.warc_placing import place_of

# A younger one may yet be committed: a turn lasts 5 minutes at most, and then a transaction ends. The rest
# is for clocks that differ.
LEAST_AGE = timedelta(hours=1)


async def orphans(
    objects: S3Objects,
    settings: S3Settings,
    clock: Clock,
    storage_keys: AsyncIterable[str],
    older_than: timedelta,
) -> list[str]:
    """Names of the objects of pages, and of indexes, that none of `storage_keys` points into.

    `storage_keys` are all of the crawl's, text keys too; they are read after the objects are listed, so
    what is committed meanwhile counts. Raises S3Unavailable, and ValueError for an age below LEAST_AGE or
    when there are objects and no key points into any of them: then the keys are of another crawl.
    """
    if older_than < LEAST_AGE:
        raise ValueError(f"an object younger than {LEAST_AGE} may be of a commit under way")
    oldest_kept = wall_datetime(clock.wall_ms()) - older_than
    found = {entry: _stem(entry.name) for entry in await objects.listed(settings.prefix)}
    old = {entry.name: stem for entry, stem in found.items() if entry.modified_at < oldest_kept}
    named = {_stem(_object_of(key)) async for key in storage_keys if key}
    stems = {stem for stem in found.values() if stem}
    if stems and not stems & named:
        raise ValueError(f"no storage key points into {settings.bucket}/{settings.prefix}")
    return sorted(name for name, stem in old.items() if stem and stem not in named)


async def sweep_orphans(
    objects: S3Objects,
    settings: S3Settings,
    clock: Clock,
    storage_keys: AsyncIterable[str],
    older_than: timedelta,
) -> list[str]:
    """Deletes what `orphans` finds, and returns it."""
    found = await orphans(objects, settings, clock, storage_keys, older_than)
    for name in found:
        await objects.delete(name)
    return found


def _object_of(storage_key: str) -> str:
    """Raises ValueError: a key that cannot be read may name anything, so nothing is deleted."""
    try:
        return place_of(storage_key)[0]
    except NothingStored:
        raise ValueError(f"no storage key: {storage_key!r}") from None


def _stem(name: str) -> str:
    """What a WARC and its index have in common; empty for what is neither."""
    for end in (WARC_END, INDEX_END):
        if name.endswith(end):
            return name.removesuffix(end)
    return ""
