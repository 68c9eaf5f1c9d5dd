"""The product crawls real sites that nobody here wrote, and is compared with a separate program.

`make realweb` installs the packages; the servers are started here when they do not run yet.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from nephila_testkit.checker import Report, Terms, judge
from nephila_testkit.checker.outputs import Outputs, read_outputs
from nephila_testkit.realweb import RealWeb, read_access_log
from nephila_testkit.realweb.sites import by_host
from nephila_testkit.web import Reachable
from nephila_testkit.web.served import ServerLog

pytestmark = [pytest.mark.realweb, pytest.mark.timeout(300)]

# The largest site decides how long a crawl takes: 221 URLs at 0.05 s, 1,300 without a delay.
POLITE_S = 0.05
POLITE = ("git.test", "policy.test", "devref.test", "sqlalchemy.test")
LARGE = ("pg.test", "python.test", "sqlite.test", "django.test", "httpd.test")


@dataclass(frozen=True, slots=True)
class Crawled:
    """A finished crawl with all evidence about it."""

    summary: dict[str, object]
    # URL → SHA-256 of its body, and its status, by the separate program.
    digests: dict[str, str]
    statuses: dict[str, int]
    log: ServerLog
    outputs: Outputs

    def judged(self, delay_s: float) -> Report:
        return judge(self.log, Terms(delay_s), Reachable(set(self.digests)), self.outputs)


@pytest.fixture(scope="module")
def realweb() -> Iterator[RealWeb]:
    web = RealWeb(Path("run/realweb").resolve())
    ours = web.start()
    web.wait()
    yield web
    if ours:
        web.stop()


@pytest.fixture(scope="module")
def polite(realweb: RealWeb, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return crawled(realweb, POLITE, POLITE_S, tmp_path_factory.mktemp("polite"))


@pytest.fixture(scope="module")
def large(realweb: RealWeb, tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    return crawled(realweb, LARGE, 0.0, tmp_path_factory.mktemp("large"))


def crawled(web: RealWeb, names: tuple[str, ...], delay_s: float, into: Path) -> Crawled:
    digests: dict[str, str] = {}
    statuses: dict[str, int] = {}
    for told in walked(web, names):
        digests[told["url"]] = told["sha256"]
        statuses[told["url"]] = told["status"]
    since = web.access_log.stat().st_size
    summary = crawl(web, names, delay_s, into)
    log = read_access_log(web.access_log, since)
    for request in log.requests:
        request.sha256 = digests.get(request.url, "")
    return Crawled(summary, digests, statuses, log, read_outputs(into))


def walked(web: RealWeb, names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """What the separate program finds on each site."""
    program = [sys.executable, "-m", "nephila_testkit.realweb.reachable"]
    for name in names:
        command = [*program, web.url(name), "--address", by_host(name).address]
        found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
        yield from map(json.loads, found.stdout.splitlines())


def crawl(web: RealWeb, names: tuple[str, ...], delay_s: float, into: Path) -> dict[str, object]:
    """Runs the product's command to its end and returns its summary."""
    command = [Path(sys.executable).with_name("nephila"), "crawl", *map(web.url, names)]
    options = ["--into", into, "--scope", "host", "--delay", str(delay_s), "--json"]
    network = ["--allow-network", web.networks, "--dns", web.dns]
    run = subprocess.run(
        [*command, *options, *network], capture_output=True, text=True, timeout=240
    )
    assert run.returncode == 0, run.stderr[-2000:] + run.stdout[-2000:]
    return json.loads(run.stdout.splitlines()[-1])


def check(crawl: Crawled, delay_s: float) -> None:
    asked = {request.url: request.status for request in crawl.log.requests}
    asked = {url: status for url, status in asked.items() if not url.endswith("/robots.txt")}
    assert differences(asked, crawl.statuses) == []
    report = crawl.judged(delay_s)
    assert report.is_clean, report.to_json()


def differences(asked: dict[str, int], statuses: dict[str, int]) -> list[str]:
    """The first few URLs, with both statuses, of which product and program think differently."""
    urls = sorted(asked.keys() | statuses.keys())
    differing = [url for url in urls if asked.get(url) != statuses.get(url)]
    return [
        f"{url}: asked {asked.get(url)}, reachable {statuses.get(url)}" for url in differing[:10]
    ]


def test_a_polite_crawl_finds_each_page_once_stores_what_was_served_and_keeps_the_delay(
    polite: Crawled,
) -> None:
    check(polite, POLITE_S)


def test_a_crawl_of_thousands_of_pages_finds_each_once_and_stores_what_was_served(
    large: Crawled,
) -> None:
    check(large, 0.0)
    assert sum(status == 200 for status in large.statuses.values()) > 4000


def test_the_summary_counts_the_pages_that_were_served(polite: Crawled, large: Crawled) -> None:
    for crawl in (polite, large):
        assert crawl.summary["event"] == "summary"
        answered = sum(status == 200 for status in crawl.statuses.values())
        assert crawl.summary["pages"] == answered
