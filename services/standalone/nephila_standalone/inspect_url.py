"""`nephila explain URL --in DIR`: the life of a URL, each step with its reason code."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path

from nephila_contracts.names import reason_name, verdict_name
from nephila_contracts.v1 import page_pb2 as p
from nephila_contracts.v1 import reason_pb2 as r
from nephila_contracts.v1 import url_pb2 as u
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_runtime.clock import SystemClock, wall_datetime
from nephila_storage.sqlite_host_failures import host_failures
from nephila_storage.sqlite_refusals import SqliteRefusalLog
from nephila_storage.sqlite_url_rows import SqliteUrlRows
from nephila_storage.url_state import Admission, ContentRecord, FetchRecord, UrlRow
from nephila_urls import CanonicalUrl, Refusal, UrlRefused, canonicalise, host_of, site_key

from nephila_standalone.admission_rules import admission_rules
from nephila_standalone.directory import CrawlToRead
from nephila_standalone.errors import printable
from nephila_standalone.exit_codes import ExitCode
from nephila_standalone.inspect_database import reading
from nephila_standalone.reason_texts import by_name, mend_of, short_name, text_of
from nephila_standalone.seeds import has_scheme

_SOURCES = {
    u.DISCOVERY_SOURCE_SEED: "a seed",
    u.DISCOVERY_SOURCE_LINK: "a link",
    u.DISCOVERY_SOURCE_REDIRECT: "a redirect",
    u.DISCOVERY_SOURCE_ROBOTS: "a robots.txt",
    u.DISCOVERY_SOURCE_SITEMAP: "a sitemap",
    u.DISCOVERY_SOURCE_FEED: "a feed",
    u.DISCOVERY_SOURCE_PING: "a ping",
    u.DISCOVERY_SOURCE_REPLAY: "a dead letter played again",
}


@dataclass(frozen=True, slots=True)
class LifeStep:
    """One thing that happened to a URL. `at_ms` is milliseconds since 1970; 0 when nobody wrote it down."""

    what: str
    reason: Reason
    text: str
    at_ms: int = 0


def explain(url: str, directory: str, *, as_json: bool) -> ExitCode:
    """Prints it. An answer of "never met" is an answer: the exit code says nothing of the URL."""
    crawl = CrawlToRead.open(Path(directory))
    canonical, steps = asyncio.run(_life_in(crawl, url))
    print(_json_of(canonical, steps) if as_json else _text_of(canonical, steps))
    return ExitCode.DONE


async def _life_in(crawl: CrawlToRead, url: str) -> tuple[str, list[LifeStep]]:
    """The URL in its canonical form, and its life."""
    try:
        meant = [canonicalise(one) for one in _meant_by(url)]
    except UrlRefused as refused:
        return url, [_left_out(by_name(refused.refusal.name))]
    running = crawl.running_pid() is not None
    with reading(crawl) as database:
        for canonical in meant:
            row = SqliteUrlRows(database).read_row(canonical)
            if row is not None and (row.admission or row.fetch):
                failures = host_failures(database, host_of(canonical))
                return canonical, life_of(row, running=running, host_failures=failures)
        for canonical in meant:
            samples = await SqliteRefusalLog(database).find(site_key(canonical), canonical)
            if samples:
                return canonical, [_left_out(one.reason, one.source_url) for one in samples]
    return meant[0], never_admitted(_refusal_now(crawl, meant[0]))


def _meant_by(url: str) -> tuple[str, ...]:
    """A URL typed without its scheme is looked for with both."""
    return (url,) if has_scheme(url) else (f"https://{url}", f"http://{url}")


def _refusal_now(crawl: CrawlToRead, url: CanonicalUrl) -> Refusal | None:
    this_year = wall_datetime(SystemClock().wall_ms()).year
    return admission_rules(crawl.plan, this_year).judge(url, 1, 0)


def life_of(row: UrlRow, *, running: bool, host_failures: int = 0) -> list[LifeStep]:
    """What happened to a URL that was let through, in order. `host_failures`: of its host, in a row."""
    steps = [_admitted(row.admission)] if row.admission else []
    if row.fetch is None:
        return [*steps, _queued(running, host_failures)]
    content = row.content
    if content is None or content.sequence != row.fetch.sequence:
        return [*steps, _fetched(row.fetch, "")]
    if content.verdict == p.VERDICT_REDIRECTED:
        return [*steps, _fetched(row.fetch, content.alias_of)]
    steps.append(_fetched(row.fetch, ""))
    if content.content_hash:
        steps.append(_judged(content))
    return steps


def never_admitted(refusal: Refusal | None) -> list[LifeStep]:
    """Why a URL that nothing was written down about is not known, by what the rules say now."""
    if refusal is not None:
        return [_left_out(by_name(refusal.name))]
    return [_never_met()]


def _left_out(reason: Reason, source_url: str = "") -> LifeStep:
    text = text_of(reason)
    if source_url:
        text += f" It was met in {source_url}."
    mend = mend_of(reason)
    return LifeStep("left out", reason, text + (f" Mend: {mend}." if mend else ""))


def _never_met() -> LifeStep:
    text = "No page, sitemap or redirect fetched so far leads to it; the crawl's rules would let it in."
    return LifeStep("never met", r.REASON_UNSPECIFIED, text)


def _admitted(admission: Admission) -> LifeStep:
    source = _SOURCES.get(admission.source, "somewhere")
    text = f"{text_of(r.REASON_ADMITTED)} It came from {source}"
    if admission.source_url:
        text += f" in {admission.source_url}"
    text += f", at depth {admission.depth}."
    return LifeStep("let through", r.REASON_ADMITTED, text, admission.first_seen_ms)


def _queued(running: bool, host_failures: int) -> LifeStep:
    now = "its turn comes" if running else "its turn comes when the crawl goes on"
    text = f"It was not fetched yet: {now}."
    if host_failures:
        times = "once" if host_failures == 1 else f"{host_failures} times in a row"
        text += f" Its host failed or asked to be left alone {times}, and is given time."
    return LifeStep("queued", r.REASON_UNSPECIFIED, text)


def _fetched(fetch: FetchRecord, moved_to: str) -> LifeStep:
    text = text_of(fetch.reason)
    if moved_to:
        text += f" It leads to {moved_to}."
    if fetch.http_status:
        text += f" HTTP status {fetch.http_status}."
    mend = mend_of(fetch.reason)
    if mend:
        text += f" Mend: {mend}."
    return LifeStep(verdict_name(fetch.verdict), fetch.reason, text, fetch.fetched_at_ms)


def _judged(content: ContentRecord) -> LifeStep:
    text = f"SHA-256 {content.content_hash.hex()}."
    if content.alias_of and content.verdict == p.VERDICT_ALIAS:
        text += f" The same, or nearly, as {content.alias_of}."
    if content.storage_key:
        text += f" Stored at {content.storage_key} (file:offset:length)."
    return LifeStep("content", r.REASON_UNSPECIFIED, text)


def _text_of(url: str, steps: list[LifeStep]) -> str:
    lines = [printable(url)]
    for step in steps:
        when = f"{wall_datetime(step.at_ms):%Y-%m-%d %H:%M:%S} UTC  " if step.at_ms else ""
        code = f"[{short_name(step.reason)}] " if step.reason else ""
        lines.append(printable(f"  {step.what:11}  {when}{code}{step.text}"))
    return "\n".join(lines)


def _json_of(url: str, steps: list[LifeStep]) -> str:
    life = [
        {
            "what": step.what,
            "reason": reason_name(step.reason) if step.reason else None,
            "text": step.text,
            "at_unix_ms": step.at_ms or None,
        }
        for step in steps
    ]
    return json.dumps({"url": url, "life": life}, indent=2)
