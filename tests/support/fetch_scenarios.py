"""Names and answers that the fetcher's scenarios share."""

from collections.abc import Callable
from typing import Any

import httpx
from nephila_contracts.v1.fetch_pb2 import FetchEnd


def answering(
    headers: dict[str, str], body: bytes, status: int = 200, **extensions: Any
) -> Callable[[httpx.Request], httpx.Response]:
    """A response with these raw bytes, whatever its headers say of them."""

    def answer(_request: httpx.Request) -> httpx.Response:
        return httpx.Response(
            status, headers=headers, stream=httpx.ByteStream(body), extensions=extensions
        )

    return answer


PAGE = "http://a.test/page"
ROBOTS = "http://a.test/robots.txt"
FINAL = FetchEnd.FETCH_END_FINAL
DEFERRED = FetchEnd.FETCH_END_DEFERRED


def html(text: str = "<p>hello</p>" * 50, **fields: str) -> httpx.Response:
    return httpx.Response(200, headers={"Content-Type": "text/html", **fields}, text=text)


def robots(text: str) -> httpx.Response:
    return httpx.Response(200, headers={"Content-Type": "text/plain"}, text=text)


def how_it_ended(by_topic: Any, emits: Any) -> tuple[Any, Any]:
    """How it ended, and why."""
    (completed,) = by_topic(emits)["fetch_completed"]
    return completed.end, completed.reason
