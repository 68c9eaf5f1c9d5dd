import re
from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.errors import BadInput, BadInputs, OtherCrawl
from nephila_standalone.plan_options import CrawlOptions, understand
from nephila_urls import ScopeKind


def test_every_option_reaches_the_plan() -> None:
    options = CrawlOptions(
        urls=("example.org",),
        into="there",
        scope="site",
        depth="3",
        pages="100",
        bytes="10MB",
        time="1h30m",
        delay="0.5",
        include=("/docs/",),
        exclude=(r"\.pdf$", "print"),
        contact="me@example.org",
        allow_network=("127.0.0.0/8",),
        dns="127.0.0.1:5353",
        workers="0",
    )
    assert understand(options).onto(None) == CrawlPlan(
        seeds=("https://example.org/",),
        into=Path("there"),
        scope=ScopeKind.SITE,
        depth=3,
        page_budget=100,
        byte_budget=10_000_000,
        time_budget=timedelta(minutes=90),
        delay=timedelta(milliseconds=500),
        include=(re.compile("/docs/"),),
        exclude=(re.compile(r"\.pdf$"), re.compile("print")),
        contact="me@example.org",
        allow_networks=(ip_network("127.0.0.0/8"),),
        dns=("127.0.0.1", 5353),
        workers=0,
    )


def test_each_fault_has_a_line_of_its_own() -> None:
    options = CrawlOptions(
        urls=("ftp://x/", "ok.org"), pages="many", bytes="1X", include=("(",), scope="galaxy"
    )
    with pytest.raises(BadInputs) as caught:
        understand(options)
    lines = caught.value.lines()
    assert len(lines) == 5
    for word in ("--pages", "--bytes", "--include", "--scope", "ftp://x/"):
        assert sum(word in line for line in lines) == 1


def test_a_crawl_without_a_url_says_how_to_name_one() -> None:
    with pytest.raises(BadInputs, match="there is no URL to start from"):
        understand(CrawlOptions())
    with pytest.raises(BadInput, match="no crawl in nowhere to go on with"):
        understand(CrawlOptions(into="nowhere")).onto(None)


def test_a_seed_file_without_urls_is_a_fault(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text("# nothing\n")
    with pytest.raises(BadInputs, match="holds no URL"):
        understand(CrawlOptions(seeds=str(file)))


def test_a_delay_below_a_second_asks_for_a_network() -> None:
    with pytest.raises(BadInput, match="--allow-network"):
        understand(CrawlOptions(urls=("a.org",), delay="0.9")).onto(None)
    understand(CrawlOptions(urls=("a.org",), delay="1")).onto(None)


STORED = CrawlPlan(
    seeds=("https://a.org/",),
    into=Path("d"),
    scope=ScopeKind.HOST,
    depth=2,
    exclude=(re.compile("x"),),
    page_budget=10,
    delay=timedelta(seconds=3),
)


def test_going_on_keeps_what_was_not_said_anew() -> None:
    plan = understand(CrawlOptions(into="d")).onto(STORED)
    assert plan == STORED


def test_going_on_takes_new_budgets_and_more_seeds() -> None:
    options = CrawlOptions(urls=("b.org", "a.org"), into="d", pages="none", workers="2", time="5m")
    assert understand(options).onto(STORED) == replace(
        STORED,
        seeds=("https://a.org/", "https://b.org/"),
        page_budget=None,
        time_budget=timedelta(minutes=5),
        workers=2,
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (CrawlOptions(into="d", scope="any"), "begun with --scope host, not --scope any"),
        (CrawlOptions(into="d", depth="3"), "begun with --depth 2, not --depth 3"),
        (CrawlOptions(into="d", exclude=("y",)), "begun with --exclude 'x', not --exclude 'y'"),
        (CrawlOptions(into="d", include=("y",)), "begun with no --include, not --include 'y'"),
    ],
)
def test_a_changed_rule_is_an_error_that_says_how_to_start_anew(
    options: CrawlOptions, told: str
) -> None:
    with pytest.raises(OtherCrawl, match=told) as caught:
        understand(options).onto(STORED)
    assert "start anew" in caught.value.mend


def test_the_fingerprint_is_of_the_rules_alone() -> None:
    same = replace(STORED, seeds=(), page_budget=3, delay=None, workers=5, into=Path("e"))
    assert same.fingerprint() == STORED.fingerprint()
    others = [
        replace(STORED, scope=ScopeKind.ANY),
        replace(STORED, depth=None),
        replace(STORED, include=STORED.exclude, exclude=()),
        replace(STORED, exclude=()),
    ]
    assert len({STORED.fingerprint(), *(other.fingerprint() for other in others)}) == 5
