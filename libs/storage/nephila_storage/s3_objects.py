"""A bucket's objects: put once, read by range, listed, deleted. The only module that knows the client.

The client blocks, so each request runs in a thread.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import Any, TypeVar
from urllib.parse import urlsplit

import urllib3
from minio import Minio
from minio.error import MinioException, S3Error

from nephila_storage.s3_settings import S3Settings

T = TypeVar("T")

# The client wants no less of a part; an object is always one part, as only a whole put is conditional.
_LEAST_PART = 5 * 1024 * 1024
_REFUSALS = {
    "AccessDenied": "refuses the keys, or they may not do this",
    "InvalidAccessKeyId": "does not know NEPHILA_S3_ACCESS_KEY",
    "SignatureDoesNotMatch": "refuses NEPHILA_S3_SECRET_KEY",
    "NoSuchBucket": "has no such bucket: make it, or set NEPHILA_S3_BUCKET",
}
_NOT_THERE = {"NoSuchKey", "InvalidRange"}


class S3Unavailable(Exception):
    """The server is away, or fails. Told in one line; the host's run ends, and a later one may succeed."""


class S3Refused(S3Unavailable):
    """The server answers, and no later run can succeed before somebody mends what the line says."""


class NotThere(Exception):
    """No object has the name, or it ends before the range."""


@dataclass(frozen=True, slots=True)
class Listed:
    """An object; its age by the server's clock."""

    name: str
    modified_at: datetime


class _PutOnce(urllib3.PoolManager):
    """Makes puts conditional, for which the client has no way. SigV4 leaves the choice of signed headers."""

    def urlopen(self, method: str, url: str, redirect: bool = True, **rest: Any) -> Any:
        if method == "PUT":
            rest["headers"]["If-None-Match"] = "*"
        return super().urlopen(method, url, redirect, **rest)


class S3Objects:
    """The objects of one bucket. Raises S3Unavailable and S3Refused from everything."""

    def __init__(self, settings: S3Settings) -> None:
        self._settings = settings
        self._pool = _pool(settings)
        endpoint = urlsplit(settings.endpoint)
        self._client = Minio(
            endpoint.netloc,
            settings.access_key,
            settings.secret_key.get_secret_value(),
            secure=endpoint.scheme == "https",
            region=settings.region,
            http_client=self._pool,
        )

    async def check(self) -> None:
        """Raises when the server is away, the bucket absent, or the keys are refused."""
        bucket = self._settings.bucket
        if not await self._asked(lambda: self._client.bucket_exists(bucket)):
            raise S3Refused(f"{self._where()} {_REFUSALS['NoSuchBucket']}")

    async def put(self, name: str, data: bytes) -> None:
        """Durable when it returns. Raises S3Unavailable where other bytes have the name already."""
        if not await self._asked(lambda: self._was_put(name, data)):
            raise S3Unavailable(
                f"{self._where()} holds other bytes as {name}: nothing is overwritten"
            )

    def _was_put(self, name: str, data: bytes) -> bool:
        size = len(data)
        try:
            self._client.put_object(
                self._settings.bucket, name, BytesIO(data), size, part_size=max(size, _LEAST_PART)
            )
        except S3Error as error:
            if error.code != "PreconditionFailed":
                raise
            # The first attempt may have arrived, and only its answer been lost.
            return self._got(name, 0, size + 1) == data
        return True

    async def get(self, name: str, offset: int, length: int) -> bytes:
        """Bytes of an object; fewer at its end. Raises NotThere."""
        if length == 0:
            # The client takes it for "to the end".
            return b""
        try:
            return await self._asked(lambda: self._got(name, offset, length))
        except S3Unavailable as error:
            cause = error.__cause__
            if isinstance(cause, S3Error) and cause.code in _NOT_THERE:
                raise NotThere(name) from None
            raise

    def _got(self, name: str, offset: int, length: int) -> bytes:
        answer = self._client.get_object(self._settings.bucket, name, offset, length)
        try:
            return answer.read()
        finally:
            answer.close()
            answer.release_conn()

    async def listed(self, prefix: str) -> list[Listed]:
        """Every object under the prefix: 100 bytes of memory each, and a request for 1,000."""
        return await self._asked(lambda: list(self._listed(prefix)))

    def _listed(self, prefix: str) -> Iterator[Listed]:
        found = self._client.list_objects(self._settings.bucket, prefix, recursive=True)
        for entry in found:
            if entry.object_name and entry.last_modified:
                yield Listed(entry.object_name, entry.last_modified)

    async def delete(self, name: str) -> None:
        """That it is not there is no error."""
        await self._asked(lambda: self._client.remove_object(self._settings.bucket, name))

    async def _asked(self, request: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(request)
        except S3Error as error:
            if error.code in _REFUSALS:
                raise S3Refused(f"{self._where()} {_REFUSALS[error.code]}") from error
            raise S3Unavailable(f"{self._where()} answers {error.code}") from error
        except (MinioException, urllib3.exceptions.HTTPError, OSError) as error:
            raise S3Unavailable(f"{self._where()} is away: {_first_line(error)}") from error

    def _where(self) -> str:
        return f"S3 at {self._settings.endpoint}, bucket {self._settings.bucket},"

    def close(self) -> None:
        self._pool.clear()


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0][:200]


def _pool(settings: S3Settings) -> urllib3.PoolManager:
    made = _PutOnce if settings.write_once else urllib3.PoolManager
    return made(
        timeout=urllib3.Timeout(
            connect=settings.connect_timeout.total_seconds(), read=settings.timeout.total_seconds()
        ),
        retries=urllib3.Retry(
            total=settings.attempts - 1,
            redirect=0,
            backoff_factor=0.2,
            status_forcelist=[500, 502, 503, 504],
        ),
        maxsize=4,
        cert_reqs="CERT_REQUIRED",
        ca_certs=settings.ca_file or None,
    )
