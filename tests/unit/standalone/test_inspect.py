import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest
from nephila_contracts.v1 import page_pb2 as p
from nephila_contracts.v1 import reason_pb2 as r
from nephila_contracts.v1 import url_pb2 as u
from nephila_runtime.database import Database
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import CrawlDirectory, DirectoryPaths
from nephila_standalone.errors import BadInput, OtherCrawl
from nephila_standalone.inspect_pages import pages
from nephila_standalone.inspect_status import status
from nephila_standalone.inspect_url import explain
from nephila_standalone.seed_redirects import sent_on
from nephila_storage.frontier_store import FrontierChanges, HostRow
from nephila_storage.refusals import RefusedUrl
from nephila_storage.sqlite_frontier_store import SqliteFrontierStore
from nephila_storage.sqlite_refusals import SqliteRefusalLog
from nephila_storage.sqlite_url_contents import SqliteUrlContents
from nephila_storage.sqlite_url_fetches import SqliteUrlFetches
from nephila_storage.sqlite_url_state import SqliteUrlAdmissions
from nephila_storage.url_state import Admission, ContentRecord, FetchRecord
from nephila_urls import canonicalise, site_key, url_digest

MOMENT_MS = 1_700_000_000_000


def admission(text: str) -> Admission:
    url = canonicalise(text)
    return Admission(
        url=url,
        site_key=site_key(url),
        digest=url_digest(url),
        origin=(0, 1, 0),
        kind=u.URL_KIND_UNSPECIFIED,
        depth=1,
        redirect_hops=0,
        source=u.DISCOVERY_SOURCE_LINK,
        source_url="https://a.org/",
        first_seen_ms=MOMENT_MS,
    )


def fetch(of: Admission, verdict: p.Verdict, reason: r.Reason, http_status: int) -> FetchRecord:
    return FetchRecord(
        url=of.url,
        site_key=of.site_key,
        digest=of.digest,
        sequence=1,
        verdict=verdict,
        reason=reason,
        http_status=http_status,
        fetched_at_ms=MOMENT_MS,
        etag="",
        last_modified="",
    )


def redirect(of: Admission, target: str) -> ContentRecord:
    return ContentRecord(
        url=of.url,
        site_key=of.site_key,
        digest=of.digest,
        sequence=1,
        offset=1,
        content_hash=b"",
        previous_hash=b"",
        simhash=0,
        verdict=p.VERDICT_REDIRECTED,
        alias_of=target,
        storage_key="",
        text_key="",
        payload_digest=b"",
        stored_at_ms=0,
        displaced="",
    )


async def fill(database: Database) -> None:
    got, gone, queued, moved = map(
        admission,
        ("https://a.org/got", "https://a.org/gone", "https://a.org/q", "http://a.org/plain"),
    )
    await SqliteUrlAdmissions(database).admit([got, gone, queued, moved])
    await SqliteUrlFetches(database).record(
        [
            fetch(got, p.VERDICT_NEW, r.REASON_FETCHED, 200),
            fetch(gone, p.VERDICT_GONE, r.REASON_GONE, 404),
            fetch(moved, p.VERDICT_REDIRECTED, r.REASON_REDIRECTED, 301),
        ]
    )
    await SqliteUrlContents(database).write([redirect(moved, "https://a.org/got")])
    deep = RefusedUrl("a.org", r.REASON_TOO_DEEP, "https://a.org/deep", "https://a.org/got", 9)
    await SqliteRefusalLog(database).add({("a.org", r.REASON_TOO_DEEP): 3}, [deep])


@pytest.fixture
def crawl(tmp_path: Path) -> DirectoryPaths:
    path = tmp_path / "d"
    with CrawlDirectory.open(path) as directory:
        directory.keep(CrawlPlan(seeds=("https://a.org/",), into=path))
        database = Database.open(directory.state)
        asyncio.run(fill(database))
        database.close()
    return DirectoryPaths(path)


def test_status_counts_what_was_decided(
    crawl: DirectoryPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    status(str(crawl.path), as_json=True)
    facts = json.loads(capsys.readouterr().out)
    assert facts["pages"] == 1
    assert facts["open"] == 1
    assert facts["verdicts"] == {"new": 1, "redirected": 1, "gone": 1}
    assert facts["not_fetched"] == {"REDIRECTED": 1, "GONE": 1}
    assert facts["left_out"] == {"TOO_DEEP": 3}
    assert facts["running_pid"] is None


def test_status_tells_a_running_crawl_from_one_to_go_on_with(
    crawl: DirectoryPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    status(str(crawl.path), as_json=False)
    assert "goes on" in capsys.readouterr().out
    with CrawlDirectory.open(crawl.path):
        status(str(crawl.path), as_json=False)
    assert "is crawling" in capsys.readouterr().out


def test_pages_are_listed_by_verdict_and_status(
    crawl: DirectoryPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    def listed(verdict: str | None, http_status: str | None) -> list[str]:
        pages(str(crawl.path), verdict=verdict, http_status=http_status, as_json=True)
        return [json.loads(line)["url"] for line in capsys.readouterr().out.splitlines()]

    every = ["http://a.org/plain", "https://a.org/gone", "https://a.org/got"]
    assert sorted(listed(None, None)) == every
    assert listed("new", None) == ["https://a.org/got"]
    assert listed(None, "4xx") == ["https://a.org/gone"]
    assert listed("new", "404") == []
    pages(str(crawl.path), verdict=None, http_status="404", as_json=False)
    assert (
        capsys.readouterr().out
        == "404  gone        2023-11-14 22:13:20  https://a.org/gone  (gone)\n"
    )


def test_a_filter_that_is_none_is_answered_by_the_nearest(crawl: DirectoryPaths) -> None:
    with pytest.raises(BadInput, match="did you mean failed"):
        pages(str(crawl.path), verdict="fialed", http_status=None, as_json=False)
    with pytest.raises(BadInput, match="--status 404"):
        pages(str(crawl.path), verdict=None, http_status="9xx", as_json=False)


@pytest.mark.parametrize(
    ("url", "life"),
    [
        ("a.org/got", [("let through", "ADMITTED"), ("new", "FETCHED")]),
        ("https://a.org/gone#x", [("let through", "ADMITTED"), ("gone", "GONE")]),
        ("a.org/plain", [("let through", "ADMITTED"), ("redirected", "REDIRECTED")]),
        ("https://a.org/q", [("let through", "ADMITTED"), ("queued", None)]),
        ("https://a.org/deep", [("left out", "TOO_DEEP")]),
        ("https://b.org/", [("left out", "OUT_OF_SCOPE")]),
        ("https://a.org/unheard-of", [("never met", None)]),
        ("mailto://me", [("left out", "SCHEME")]),
    ],
)
def test_the_life_of_a_url_is_told_by_reason_codes(
    crawl: DirectoryPaths,
    capsys: pytest.CaptureFixture[str],
    url: str,
    life: list[tuple[str, str | None]],
) -> None:
    explain(url, str(crawl.path), as_json=True)
    told = json.loads(capsys.readouterr().out)
    assert [(step["what"], step["reason"]) for step in told["life"]] == life
    explain(url, str(crawl.path), as_json=False)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 1 + len(life)
    assert all(line.isprintable() for line in lines)


def test_a_crawl_that_just_began_has_nothing_to_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with CrawlDirectory.open(tmp_path) as directory:
        directory.keep(CrawlPlan(seeds=("https://a.org/",), into=tmp_path))
    for state in (None, b""):
        if state is not None:
            directory.state.write_bytes(state)
        status(str(tmp_path), as_json=False)
        pages(str(tmp_path), verdict=None, http_status=None, as_json=False)
        explain("https://a.org/", str(tmp_path), as_json=False)
    assert "never met" in capsys.readouterr().out


def test_a_queued_url_tells_that_its_host_is_given_time(
    crawl: DirectoryPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    database = Database.open(crawl.state)
    troubled = HostRow(0, 1, "a.org", "a.org", 0, 0, 3, 60_000, "", ())
    asyncio.run(SqliteFrontierStore(database).write(FrontierChanges(hosts=[troubled])))
    database.close()
    explain("https://a.org/q", str(crawl.path), as_json=False)
    assert "asked to be left alone 3 times in a row" in capsys.readouterr().out
    explain("https://a.org/got", str(crawl.path), as_json=False)
    assert "left alone" not in capsys.readouterr().out


def test_a_redirect_says_where_it_leads(
    crawl: DirectoryPaths, capsys: pytest.CaptureFixture[str]
) -> None:
    explain("a.org/plain", str(crawl.path), as_json=False)
    assert "It leads to https://a.org/got." in capsys.readouterr().out
    pages(str(crawl.path), verdict="redirected", http_status=None, as_json=False)
    assert "http://a.org/plain  -> https://a.org/got\n" in capsys.readouterr().out
    assert sent_on(crawl, ["https://a.org/got", "http://a.org/plain", "https://a.org/none"]) == {
        "http://a.org/plain": "https://a.org/got"
    }


def test_a_look_writes_nothing(crawl: DirectoryPaths, capsys: pytest.CaptureFixture[str]) -> None:
    before = {file: file.read_bytes() for file in crawl.path.iterdir() if file.is_file()}
    status(str(crawl.path), as_json=False)
    explain("https://a.org/got", str(crawl.path), as_json=False)
    after = {file: file.read_bytes() for file in crawl.path.iterdir() if file.is_file()}
    assert {f: after[f] for f in before} == before


def test_a_damaged_state_is_told(crawl: DirectoryPaths) -> None:
    crawl.state.write_bytes(b"not a database, " * 1000)
    with pytest.raises(OtherCrawl, match="cannot read"):
        status(str(crawl.path), as_json=False)


def test_the_admission_of_a_replay_is_told_once(crawl: DirectoryPaths) -> None:
    database = Database.open(crawl.state)
    again = replace(admission("https://a.org/got"), origin=(0, 9, 0))
    asyncio.run(SqliteUrlAdmissions(database).admit([again]))
    database.close()
    assert explain("https://a.org/got", str(crawl.path), as_json=True) == 0
