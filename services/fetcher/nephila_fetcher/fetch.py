"""The step: from a lease to its outcome."""

import asyncio
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from nephila_contracts.v1.fetch_pb2 import Attempt, FetchRequested
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_contracts.v1.url_pb2 import Validators
from nephila_runtime import Clock, Emit, Handled, Poison, Record
from nephila_urls import CanonicalUrl, host_of, path_of

from nephila_fetcher import report
from nephila_fetcher.ask_robots import AskRobots
from nephila_fetcher.exchange import Answer, Limits
from nephila_fetcher.held_leases import HeldLeases
from nephila_fetcher.outcome import AnswerRules, Outcome, ended, of_answer
from nephila_fetcher.polite_get import Field, NotAnswered, PoliteGet, Trail
from nephila_fetcher.robots import RobotsRules
from nephila_fetcher.robots_cache import Unreachable

# Why a URL is not to be fetched now (blocklisted or paused), None when it may be: asked again just
# before each request, whatever the frontier thought when it leased.
Permission = Callable[[Attempt], Reason | None]

_NO_CRAWL_DELAY = 0.0
# Control characters, and what latin-1 cannot say.
_UNSENDABLE = re.compile(r"[^\t\x20-\x7e\x80-\xff]")


@dataclass(frozen=True, slots=True)
class FetchRules:
    """What the step goes by; durations in seconds."""

    fields: tuple[Field, ...]
    limits: Limits
    longest_pause: float
    longest_fetch: float
    longest_crawl_delay: float
    obey_crawl_delay: bool
    answers: AnswerRules


@dataclass(slots=True)
class _Progress:
    """What is known of a fetch when it ends, however it ends."""

    trail: Trail
    emits: list[Emit[Any]]
    answer: Answer | None = None
    crawl_delay: float = _NO_CRAWL_DELAY


class Fetch:
    """Handles fetch_requested. One record of a host at a time; hosts side by side."""

    def __init__(
        self,
        get: PoliteGet,
        robots: AskRobots,
        leases: HeldLeases,
        clock: Clock,
        rules: FetchRules,
        permission: Permission,
    ) -> None:
        self._get = get
        self._robots = robots
        self._leases = leases
        self._clock = clock
        self._rules = rules
        self._permission = permission

    async def handle(self, batch: Sequence[Record[FetchRequested]]) -> Handled:
        emits: list[Emit[Any]] = []
        for record in batch:
            attempt = record.message.attempt
            _check(record)
            if not self._leases.take(record.partition, attempt):
                continue
            try:
                emits.extend(await self._fetch(record))
            except BaseException:
                self._leases.untake(record.partition, attempt)
                raise
        return Handled(emits)

    async def _fetch(self, record: Record[FetchRequested]) -> list[Emit[Any]]:
        message = record.message
        attempt = message.attempt
        progress = _Progress(Trail(), [])
        with self._leases.under_way(record.partition) as lease:
            try:
                outcome = await self._outcome(record, progress)
            except asyncio.CancelledError:
                if not lease.given_back:
                    raise
                lease.task.uncancel()
                outcome = ended(Reason.REASON_HANDED_BACK, attempt.tries)
                progress.answer = None
        trail, answer = progress.trail, progress.answer
        emits = progress.emits
        emits.append(report.completed(attempt, outcome, trail, answer, progress.crawl_delay))
        if outcome.is_final:
            emits.extend(report.verdict_path(attempt, outcome, trail, answer))
        return emits

    async def _outcome(self, record: Record[FetchRequested], progress: _Progress) -> Outcome:
        """How it ended. The wait of the lease comes first and is outside the longest fetch."""
        message = record.message
        tries = message.attempt.tries
        await self._wait(message, self._seconds_to_wait(record))
        refusal = self._permission(message.attempt)
        if refusal is not None:
            return ended(refusal, tries)
        try:
            async with asyncio.timeout(self._rules.longest_fetch):
                return await self._ask(message, progress)
        except NotAnswered as failure:
            return ended(failure.reason, tries, failure.wait)
        except TimeoutError:
            return ended(Reason.REASON_TIMED_OUT, tries)

    def _seconds_to_wait(self, record: Record[FetchRequested]) -> float:
        """The lease's own wait; for one that somebody who died may have begun, its host's delay too."""
        message = record.message
        taken_over_at = self._leases.taken_over_at(record)
        if taken_over_at is None:
            self._get.vouch(message.attempt.host)
            return message.wait_ms / 1000
        over_at = taken_over_at + message.delay_ms / 1000
        return max(message.wait_ms / 1000, over_at - self._clock.now())

    async def _wait(self, message: FetchRequested, seconds: float) -> None:
        if seconds <= 0:
            return
        starts_at = self._clock.now() + seconds
        try:
            # The name is looked up while the host rests.
            async with asyncio.timeout(seconds):
                await self._get.destination(CanonicalUrl(message.attempt.url))
        except (NotAnswered, TimeoutError):
            pass  # Asked again in its turn, which tells.
        rest = starts_at - self._clock.now()
        if rest > 0:
            await self._clock.sleep(rest)

    async def _ask(self, message: FetchRequested, progress: _Progress) -> Outcome:
        """robots.txt, the pause, the page. Raises NotAnswered."""
        attempt = message.attempt
        url = CanonicalUrl(attempt.url)
        trail = progress.trail
        delay = message.delay_ms / 1000
        robots = await self._robots.verdict(url, delay, trail)
        verdict = robots.verdict
        if isinstance(verdict, Unreachable):
            raise NotAnswered(verdict.cause, verdict.rest(self._clock.now()))
        progress.crawl_delay = self._crawl_delay(verdict)
        if robots.fetched_from is not None:
            spelling = self._rules.answers.spelling
            named = verdict.sitemaps
            progress.emits.extend(report.sitemaps(attempt, robots.fetched_from, named, spelling))
        if not verdict.allows(path_of(url)):
            return ended(Reason.REASON_ROBOTS_DISALLOWED, attempt.tries)
        if robots.fetched_from is not None:
            delay = max(delay, progress.crawl_delay)
            if delay > self._rules.longest_pause:
                # Too long to wait under this lease: the host rests in the frontier instead.
                raise NotAnswered(Reason.REASON_HANDED_BACK, timedelta(seconds=delay))
        return await self._page(message, url, delay, progress)

    async def _page(
        self, message: FetchRequested, url: CanonicalUrl, delay: float, progress: _Progress
    ) -> Outcome:
        rules = self._rules
        fields = (*rules.fields, *_conditional(message.validators))
        trail = progress.trail
        trail.elapsed = 0.0
        answer = await self._get.get(url, fields, rules.limits, delay, trail)
        progress.answer = answer
        tries = message.attempt.tries
        return of_answer(answer, url, tries, trail.sent_at_wall_ms, rules.answers)

    def _crawl_delay(self, verdict: RobotsRules) -> float:
        if verdict.crawl_delay is None or not self._rules.obey_crawl_delay:
            return _NO_CRAWL_DELAY
        return min(verdict.crawl_delay, self._rules.longest_crawl_delay)


def _check(record: Record[FetchRequested]) -> None:
    """Raises Poison for a lease that names no URL or another host: it could never be fetched."""
    attempt = record.message.attempt
    url = CanonicalUrl(attempt.url)
    if not url.startswith(("http://", "https://")) or url.count("/") < 3:
        raise Poison("no canonical URL in the lease", record)
    if host_of(url) != attempt.host:
        raise Poison("the lease names another host than its URL", record)


def _conditional(validators: Validators) -> tuple[Field, ...]:
    """The fields of a conditional GET (RFC 9110 13.1), for what can stand in a field."""
    fields: list[Field] = []
    for name, value in (
        (b"If-None-Match", validators.etag),
        (b"If-Modified-Since", validators.last_modified),
    ):
        if value and len(value) <= 1024 and not _UNSENDABLE.search(value):
            fields.append((name, value.encode("latin-1")))
    return tuple(fields)
