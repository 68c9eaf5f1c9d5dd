"""`nephila status DIR`: how far a crawl is."""

import asyncio
import json
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from nephila_contracts.names import reason_name, verdict_name
from nephila_contracts.v1 import page_pb2 as p
from nephila_storage.sqlite_refusals import SqliteRefusalLog
from nephila_storage.sqlite_url_counts import OutcomeCount, SqliteUrlCounts

from nephila_standalone.command_name import command_name
from nephila_standalone.directory import CrawlToRead
from nephila_standalone.errors import printable
from nephila_standalone.exit_codes import ExitCode
from nephila_standalone.inspect_database import reading
from nephila_standalone.numbers_shown import bytes_shown, count_shown
from nephila_standalone.summary import reasons_shown

VERDICTS = (
    p.VERDICT_NEW,
    p.VERDICT_CHANGED,
    p.VERDICT_UNCHANGED,
    p.VERDICT_ALIAS,
    p.VERDICT_REDIRECTED,
    p.VERDICT_GONE,
    p.VERDICT_REFUSED,
    p.VERDICT_FAILED,
    p.VERDICT_LOST,
)
# Those of a URL that holds a page.
PAGE_VERDICTS = (p.VERDICT_NEW, p.VERDICT_CHANGED, p.VERDICT_UNCHANGED, p.VERDICT_ALIAS)


def status(directory: str, *, as_json: bool) -> ExitCode:
    """Prints it. Raises OtherCrawl when there is no crawl to look at."""
    crawl = CrawlToRead.open(Path(directory))
    with reading(crawl) as database:
        counts = SqliteUrlCounts(database)
        facts = _facts(crawl, counts.outcomes())
        facts["open"] = counts.open_urls()
        facts["left_out"] = _counted(
            (reason_name(reason), links)
            for reason, links in asyncio.run(SqliteRefusalLog(database).totals()).items()
        )
    print(json.dumps(facts, indent=2) if as_json else "\n".join(_lines(crawl, facts)))
    return ExitCode.DONE


def _facts(crawl: CrawlToRead, outcomes: Sequence[OutcomeCount]) -> dict[str, Any]:
    files = sorted(crawl.warc.glob("*.warc*")) if crawl.warc.is_dir() else []
    pages = [one for one in outcomes if one.verdict in PAGE_VERDICTS]
    return {
        "directory": str(crawl.path),
        "running_pid": crawl.running_pid(),
        "seeds": list(crawl.plan.seeds),
        "scope": crawl.plan.scope.value,
        "pages": sum(one.urls for one in pages),
        "verdicts": _counted((verdict_name(one.verdict), one.urls) for one in outcomes),
        "not_fetched": _counted(
            (reason_name(one.reason), one.urls)
            for one in outcomes
            if one.verdict not in PAGE_VERDICTS
        ),
        "warc_files": len(files),
        "warc_bytes": sum(file.stat().st_size for file in files),
    }


def _counted(pairs: Iterable[tuple[str, int]]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for name, number in pairs:
        counts[name] = counts.get(name, 0) + number
    return counts


def _lines(crawl: CrawlToRead, facts: dict[str, Any]) -> list[str]:
    pid = facts["running_pid"]
    directory = shlex.quote(str(crawl.path))
    more = f" and {len(crawl.plan.seeds) - 1:,} more" if len(crawl.plan.seeds) > 1 else ""
    verdicts = ", ".join(f"{name} {number:,}" for name, number in facts["verdicts"].items())
    waiting = "queued or under way" if pid is not None else "queued"
    rows = [
        ("from", f"{', '.join(crawl.plan.seeds[:1])}{more}, scope {crawl.plan.scope.value}"),
        ("pages", f"{facts['pages']:,}"),
        ("verdicts", verdicts or "none yet"),
        ("left out", reasons_shown(facts["left_out"], 8) or "none"),
        ("not fetched", reasons_shown(facts["not_fetched"], 8) or "none"),
        (waiting, f"{facts['open']:,}"),
        (
            "stored",
            f"{count_shown(facts['warc_files'], 'WARC file')}, {bytes_shown(facts['warc_bytes'])}",
        ),
    ]
    width = max(len(name) for name, _ in rows)
    state = "nobody is crawling into it now" if pid is None else f"process {pid} is crawling"
    lines = [f"{crawl.path}: {state}"]
    lines += [printable(f"  {name.ljust(width)}  {value}") for name, value in rows]
    if pid is None and facts["open"]:
        lines.append(f"  `{command_name()} crawl --into {directory}` goes on")
    return lines
