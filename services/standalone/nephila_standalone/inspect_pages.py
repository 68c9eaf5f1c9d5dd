"""`nephila pages DIR`: the URLs that were tried, one a line."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from nephila_contracts.names import reason_name, verdict_name
from nephila_contracts.v1.page_pb2 import VERDICT_ALIAS, VERDICT_REDIRECTED, Verdict
from nephila_runtime.clock import wall_datetime
from nephila_storage.sqlite_url_rows import SqliteUrlRows
from nephila_storage.url_state import FetchRecord, UrlRow

from nephila_standalone.directory import CrawlToRead
from nephila_standalone.errors import BadInput, printable
from nephila_standalone.exit_codes import ExitCode
from nephila_standalone.inspect_database import reading
from nephila_standalone.inspect_status import PAGE_VERDICTS, VERDICTS
from nephila_standalone.reason_texts import short_name

# Those of a URL that stands for another one.
_LEADS_ON = (VERDICT_ALIAS, VERDICT_REDIRECTED)


@dataclass(frozen=True, slots=True)
class PageFilter:
    """Which pages to list; None is any. `statuses` are HTTP status codes."""

    verdict: Verdict | None = None
    statuses: range | None = None

    def wants(self, fetch: FetchRecord) -> bool:
        if self.verdict is not None and fetch.verdict != self.verdict:
            return False
        return self.statuses is None or fetch.http_status in self.statuses


def pages(
    directory: str, *, verdict: str | None, http_status: str | None, as_json: bool
) -> ExitCode:
    """Prints them as they are read. Raises BadInput for a filter that is none."""
    wanted = PageFilter(
        None if verdict is None else _verdict(verdict),
        None if http_status is None else _statuses(http_status),
    )
    crawl = CrawlToRead.open(Path(directory))
    with reading(crawl) as database:
        for line in lines(SqliteUrlRows(database).pages(), wanted, as_json=as_json):
            print(line)
    return ExitCode.DONE


def lines(rows: Iterator[UrlRow], wanted: PageFilter, *, as_json: bool) -> Iterator[str]:
    """A line for each URL that has a verdict and is wanted, in the order of `rows`."""
    for row in rows:
        if row.fetch is not None and wanted.wants(row.fetch):
            of = row.content if row.content and row.content.sequence == row.fetch.sequence else None
            leads_on = of is not None and of.verdict in _LEADS_ON
            alias_of = of.alias_of if of and leads_on else ""
            storage_key = of.storage_key if of else ""
            if as_json:
                yield _json_of(row.fetch, alias_of, storage_key)
            else:
                yield _line_of(row.fetch, alias_of)


def _verdict(text: str) -> Verdict:
    names = {verdict_name(verdict): verdict for verdict in VERDICTS}
    if text.lower() in names:
        return names[text.lower()]
    near = get_close_matches(text.lower(), names, n=1)
    mend = f"did you mean {near[0]}?" if near else f"write one of {', '.join(names)}"
    raise BadInput(f"--verdict {text!r} is no verdict", mend)


def _statuses(text: str) -> range:
    if re.fullmatch(r"[1-5][0-9]{2}", text, re.ASCII):
        return range(int(text), int(text) + 1)
    if re.fullmatch(r"[1-5]xx", text.lower(), re.ASCII):
        return range(int(text[0]) * 100, int(text[0]) * 100 + 100)
    raise BadInput(f"--status {text!r} is no HTTP status", "write --status 404 or --status 5xx")


def _line_of(page: FetchRecord, alias_of: str) -> str:
    when = f"{wall_datetime(page.fetched_at_ms):%Y-%m-%d %H:%M:%S}" if page.fetched_at_ms else ""
    line = f"{page.http_status or '-':>3}  {verdict_name(page.verdict):10}  {when:19}  {page.url}"
    if alias_of:
        line += f"  -> {alias_of}"
    elif page.verdict not in PAGE_VERDICTS:
        line += f"  ({short_name(page.reason)})"
    return printable(line)


def _json_of(page: FetchRecord, alias_of: str, storage_key: str) -> str:
    content = {
        "url": page.url,
        "verdict": verdict_name(page.verdict),
        "reason": reason_name(page.reason),
        "http_status": page.http_status,
        "fetched_at_unix_ms": page.fetched_at_ms,
        "alias_of": alias_of,
        "storage_key": storage_key,
    }
    return json.dumps(content)
