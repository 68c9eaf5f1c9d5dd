"""A final attempt, with what of it has to be worked out before anything can be judged."""

from dataclasses import dataclass
from hashlib import sha256

from nephila_contracts.v1.page_pb2 import PageParsed
from nephila_runtime import Poison, Record
from nephila_storage.page_store import Payload
from nephila_storage.payload import BodyUnreadable, payload_of
from nephila_urls import CanonicalUrl, url_digest

from nephila_content_dedup.answers import Answer, answer_of
from nephila_content_dedup.verdict import PageContent

EMPTY_HASH = sha256().digest()


@dataclass(frozen=True, slots=True)
class FinalAttempt:
    """`content` and `payload` are there when the answer is a page, and only then."""

    page: PageParsed
    offset: int
    url: CanonicalUrl
    site_key: str
    digest: bytes
    answer: Answer
    content: PageContent | None
    payload: Payload | None


def final_attempt(record: Record[PageParsed]) -> FinalAttempt:
    """Takes a message in. Raises Poison when it names no URL, or its body cannot be read."""
    page = record.message
    url, site_key = CanonicalUrl(page.attempt.url), page.attempt.site_key
    if not (url and site_key):
        raise Poison("no URL or no site key", record)
    answer = answer_of(page)
    content = payload = None
    if answer is Answer.PAGE:
        content = PageContent(url, site_key, page.content_hash or EMPTY_HASH, page.simhash)
        payload = _payload(record)
    return FinalAttempt(
        page, record.offset, url, site_key, url_digest(url), answer, content, payload
    )


def _payload(record: Record[PageParsed]) -> Payload:
    page = record.message
    # A body that was cut after decoding has the hash of its beginning.
    content_hash = b"" if page.body_cut else page.content_hash
    try:
        return payload_of(page.body, page.mime_type, content_hash)
    except BodyUnreadable as error:
        raise Poison(str(error), record) from error
