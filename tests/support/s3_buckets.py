"""A folder of a test's own in a bucket, and a page store over it."""

import uuid
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Any

from minio import Minio
from minio.error import S3Error
from nephila_runtime import SystemClock
from nephila_storage.s3_objects import S3Objects
from nephila_storage.s3_settings import S3Settings
from nephila_storage.s3_warc_store import S3WarcStore
from pydantic import SecretStr
from server_fixtures import S3Endpoint

BUCKET = "nephila-tests"


def client(endpoint: S3Endpoint) -> Minio:
    return Minio(endpoint.address, endpoint.access_key, endpoint.secret_key, secure=False)


def settings_of(endpoint: S3Endpoint, bucket: str, **others: Any) -> S3Settings:
    usual: dict[str, Any] = {
        "allow_plain_http": True,
        "endpoint": f"http://{endpoint.address}",
        "bucket": bucket,
        "access_key": endpoint.access_key,
        "secret_key": SecretStr(endpoint.secret_key),
    }
    return S3Settings(**{**usual, **others})


def fresh_folder(endpoint: S3Endpoint, **others: Any) -> S3Settings:
    """Settings of a folder that nobody has used. One bucket for all: SeaweedFS gives each volumes of its own
    and has no more after eight."""
    with suppress(S3Error):
        client(endpoint).make_bucket(BUCKET)
    return settings_of(endpoint, BUCKET, prefix=f"{uuid.uuid4()}/", **others)


def store_of(objects: S3Objects, settings: S3Settings, instance: str = "one") -> S3WarcStore:
    return S3WarcStore(objects, settings, SystemClock(), instance)


async def each(keys: Iterable[str]) -> AsyncIterator[str]:
    for key in keys:
        yield key
