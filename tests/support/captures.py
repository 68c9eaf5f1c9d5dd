"""What a page store is given: every kind of capture."""

from nephila_contracts.v1.page_pb2 import PageParsed
from nephila_storage.page_store import (
    Capture,
    Note,
    Original,
    Response,
    Revisit,
    RevisitProfile,
)
from nephila_storage.payload import payload_of
from nephila_urls import CanonicalUrl
from parsed_pages import FIRST_MS, page

BIG = bytes(range(256)) * 600


def response(message: PageParsed) -> Capture:
    payload = payload_of(message.body, message.mime_type, message.content_hash)
    attempt = message.attempt
    return Capture(
        CanonicalUrl(attempt.url),
        attempt.attempt_id,
        message.exchange,
        "text/html",
        Response(payload),
    )


def every_kind() -> list[Capture]:
    first = response(page("https://a.example/", b"<p>one</p>", 1))
    assert isinstance(first.content, Response)
    original = Original(first.url, FIRST_MS + 1007, first.content.payload.digest)
    plain = response(page("https://a.example/plain", BIG, 2, gzipped=False))
    url = CanonicalUrl("https://a.example/again")
    exchange = page(url, b"", 3).exchange
    note = Note((("resembles", "https://a.example/"),))
    revisits = [
        Capture(url, f"0.{index}", exchange, "text/html", Revisit(original, profile))
        for index, profile in enumerate(RevisitProfile)
    ]
    noted = Capture(url, "0.8", exchange, "text/html", note)
    with_text = Capture(
        url, "0.9", exchange, "text/html", plain.content, note=note, text="blå".encode()
    )
    return [first, plain, *revisits, noted, with_text]
