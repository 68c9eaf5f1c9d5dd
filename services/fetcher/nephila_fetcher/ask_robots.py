"""robots.txt over the network: asked for once an origin and day, under the lease of the first page."""

import asyncio
import zlib
from dataclasses import dataclass
from datetime import timedelta

from nephila_contracts.v1.page_pb2 import Coding, Truncation
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_urls import CanonicalUrl, host_of, scheme_of

from nephila_fetcher.body_packing import served_coding
from nephila_fetcher.exchange import Answer, Limits
from nephila_fetcher.outcome import AnswerRules, asked_wait, is_redirect, redirect_target
from nephila_fetcher.polite_get import Field, NotAnswered, PoliteGet, Trail
from nephila_fetcher.robots import MAX_BYTES, RobotsRules, parse_robots
from nephila_fetcher.robots_cache import RobotsCache, Unreachable

# RFC 9309 2.3.1.2: at least five consecutive redirects are followed.
_MAX_REDIRECTS = 5
# Of the host itself: told as they are. All else about robots.txt is "unreachable".
_TOLD_AS_THEY_ARE = frozenset(
    (
        Reason.REASON_CONNECTION_REFUSED,
        Reason.REASON_CONNECTION_FAILED,
        Reason.REASON_TLS_FAILED,
    )
)
_OF_THE_NAME = frozenset(
    (
        Reason.REASON_NO_SUCH_HOST,
        Reason.REASON_DNS_FAILED,
        Reason.REASON_ADDRESS_FORBIDDEN,
    )
)


@dataclass(frozen=True, slots=True)
class RobotsRequest:
    """How robots.txt is asked for."""

    fields: tuple[Field, ...]
    limits: Limits
    time_limit: float
    product_token: str
    answers: AnswerRules


@dataclass(frozen=True, slots=True)
class RobotsVerdict:
    """`fetched_from` is the URL of the robots.txt when it was asked for just now, else None."""

    verdict: RobotsRules | Unreachable
    fetched_from: CanonicalUrl | None


class AskRobots:
    """Rules from the cache, or from the origin: 4xx allows all, 5xx and no answer disallow all."""

    def __init__(self, get: PoliteGet, cache: RobotsCache, request: RobotsRequest) -> None:
        self._get = get
        self._cache = cache
        self._request = request

    async def verdict(self, url: CanonicalUrl, delay: float, trail: Trail) -> RobotsVerdict:
        """The rules for the origin of `url`. Raises NotAnswered when its name leads nowhere."""
        origin = f"{scheme_of(url)}://{host_of(url)}"
        known = self._cache.verdict(origin)
        if known is not None:
            return RobotsVerdict(known, None)
        address = CanonicalUrl(f"{origin}/robots.txt")
        return RobotsVerdict(await self._fetch(origin, address, delay, trail), address)

    async def _fetch(
        self, origin: str, url: CanonicalUrl, delay: float, trail: Trail
    ) -> RobotsRules | Unreachable:
        wait = timedelta()
        try:
            async with asyncio.timeout(self._request.time_limit):
                answer = await self._follow(url, delay, trail)
            if answer is None or (400 <= answer.status < 500 and answer.status != 429):
                return self._keep(origin, b"")
            text = _text(answer) if 200 <= answer.status < 300 else None
            if text is not None:
                return self._keep(origin, text)
            cause = Reason.REASON_ROBOTS_UNREACHABLE
            wait = asked_wait(answer, trail.sent_at_wall_ms, self._request.answers)
        except NotAnswered as failure:
            if failure.reason in _OF_THE_NAME:
                raise
            cause = failure.reason
        except TimeoutError:
            cause = Reason.REASON_ROBOTS_UNREACHABLE
        return self._cache.keep_unreachable(origin, cause, wait)

    async def _follow(self, url: CanonicalUrl, delay: float, trail: Trail) -> Answer | None:
        """The answer behind at most five redirects; None, as if there were no file, behind more.

        RFC 9309 2.3.1.2 allows this; Google's crawler does the same. Raises NotAnswered.
        """
        request = self._request
        for hop in range(_MAX_REDIRECTS + 1):
            try:
                answer = await self._get.get(url, request.fields, request.limits, delay, trail)
            except NotAnswered as failure:
                own = hop == 0 and failure.reason in _TOLD_AS_THEY_ARE | _OF_THE_NAME
                raise failure if own else NotAnswered(Reason.REASON_ROBOTS_UNREACHABLE) from failure
            if not is_redirect(answer):
                return answer
            target = redirect_target(answer, url, request.answers.spelling)
            if target is None:
                raise NotAnswered(Reason.REASON_ROBOTS_UNREACHABLE)
            url = target
        return None

    def _keep(self, origin: str, text: bytes) -> RobotsRules:
        rules = parse_robots(text, self._request.product_token)
        self._cache.keep(origin, rules, min(len(text), MAX_BYTES))
        return rules


def _text(answer: Answer) -> bytes | None:
    """At most 500 KiB and a byte of decoded text; None when it broke off or cannot be decoded.

    A text that was cut at the size limit is used as far as it goes.
    """
    if answer.truncation not in (
        Truncation.TRUNCATION_UNSPECIFIED,
        Truncation.TRUNCATION_LENGTH,
    ):
        return None
    coding = served_coding(answer.field("content-encoding"))
    if coding == Coding.CODING_UNSPECIFIED:
        return answer.body
    if coding not in (Coding.CODING_GZIP, Coding.CODING_DEFLATE):
        return None  # Not among those that were asked for.
    try:
        # 47: gzip or zlib by their headers. One bounded call: a bomb stops at the limit.
        return zlib.decompressobj(47).decompress(answer.body, MAX_BYTES + 1)
    except zlib.error:
        return None
