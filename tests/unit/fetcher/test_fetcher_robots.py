"""robots.txt in Google's reading: its cases, and its parser's answers to real files."""

import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from nephila_fetcher.path_rules import PathRules
from nephila_fetcher.robots import MAX_BYTES, RobotsRules, escape_pattern, parse_robots
from nephila_testkit import shared_data


def _rows(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    text = gzip.decompress(data) if path.suffix == ".gz" else data
    return [json.loads(line) for line in text.splitlines()]


def _body(row: dict[str, Any]) -> bytes:
    return base64.b64decode(row["robots_b64"]) if "robots_b64" in row else row["robots"].encode()


def _target(url: str) -> str:
    """The request target of the test's URL, which need not be a whole one."""
    rest = url.partition("#")[0].partition("://")[2]
    slash = min((at for at in (rest.find("/"), rest.find("?")) if at >= 0), default=-1)
    if slash < 0:
        return "/"
    return rest[slash:] if rest[slash] == "/" else "/" + rest[slash:]


def _allows(row: dict[str, Any]) -> bool:
    return parse_robots(_body(row), row["agent"]).paths.allows(_target(row["url"]))


def test_googles_own_cases_are_answered_as_by_google() -> None:
    rows = _rows(shared_data.path("robots/google_robots_test.jsonl.gz"))
    assert len(rows) == 145
    assert [row for row in rows if _allows(row) != row["allowed"]] == []


def test_the_specification_cases_are_answered_as_by_google() -> None:
    rows = _rows(shared_data.path("robots/google_spec_test.jsonl"))
    told = [row for row in rows if row.get("google_parser_says") is not None]
    assert len(told) == 398
    assert [row for row in told if _allows(row) != row["google_parser_says"]] == []


def test_patterns_are_escaped_as_by_google() -> None:
    for row in _rows(shared_data.path("robots/google_path_and_escape.jsonl")):
        if row["fn"] == "escape_pattern":
            assert escape_pattern(row["in"].encode().decode("latin-1")) == row["out"]


def test_real_files_are_read_as_by_google() -> None:
    differing: list[Any] = []
    probes = 0
    for row in _rows(shared_data.path("robots/real_robots_google_oracle.jsonl.gz")):
        rules: dict[str, RobotsRules] = {}
        for agent, target, allowed in row["probes"]:
            if agent not in rules:
                rules[agent] = parse_robots(_body(row), agent)
            probes += 1
            if rules[agent].paths.allows(target) != allowed:
                differing.append((row["host"], agent, target, allowed))
    assert probes > 31_000
    assert differing == []


@pytest.mark.parametrize(
    ("line", "delay"),
    [
        ("Crawl-delay: 10", 10.0),
        ("crawl-delay:0.5", 0.5),
        ("Crawl-delay: 999999999", 999999999.0),
        ("Crawl-delay: -1", None),
        ("Crawl-delay: word", None),
        ("Crawl-delay: NaN", None),
        ("Crawl-delay: inf", None),
    ],
)
def test_a_crawl_delay_is_a_number_that_is_not_negative(line: str, delay: float | None) -> None:
    assert parse_robots(f"User-agent: *\n{line}\n".encode(), "nephila").crawl_delay == delay


def test_the_crawl_delay_of_another_crawler_is_not_ours() -> None:
    text = b"User-agent: other\nCrawl-delay: 9\nDisallow: /x\n\nUser-agent: nephila\nAllow: /\n"
    assert parse_robots(text, "nephila").crawl_delay is None
    assert parse_robots(text, "other").crawl_delay == 9


def test_sitemaps_are_listed_in_order_wherever_they_stand() -> None:
    text = b"Sitemap: https://a.test/1.xml\nUser-agent: x\nDisallow: /\nsite-map: /2.xml\n"
    assert parse_robots(text, "nephila").sitemaps == ("https://a.test/1.xml", "/2.xml")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_byte_order_marks_and_utf16_are_understood(encoding: str) -> None:
    rules = parse_robots("User-agent: *\nDisallow: /caf\u00e9\n".encode(encoding), "nephila")
    assert not rules.allows("/caf%C3%A9/menu")
    assert rules.allows("/caf")


def test_what_lies_beyond_500_kib_is_not_read_nor_the_line_that_is_cut() -> None:
    start = b"User-agent: *\nDisallow: /first\n"
    rest = b"Disallow: /cut-here\n"
    room = MAX_BYTES - len(start) - len(b"Disallow: /cut")
    text = start + b"#" * (room - 1) + b"\n" + rest + b"Disallow: /beyond\n"
    rules = parse_robots(text, "nephila")
    assert not rules.allows("/first")
    assert rules.allows("/cut-here")
    assert rules.allows("/cute")
    assert rules.allows("/beyond")


def test_robots_txt_itself_is_always_allowed() -> None:
    assert parse_robots(b"User-agent: *\nDisallow: /\n", "nephila").allows("/robots.txt")


def test_a_page_instead_of_rules_allows_all() -> None:
    rules = parse_robots(b"<!DOCTYPE html><html><a href='x: y'>User-agent: *</a></html>", "nephila")
    assert rules.allows("/x")


def test_a_pattern_of_many_stars_costs_no_more_than_its_length() -> None:
    rules = PathRules([("/" + "*a" * 5000 + "b$", False)])
    assert rules.allows("/" + "a" * 2000)
    assert not PathRules([("/*a*b*c$", False)]).allows("/xxaxxbxxc")
    assert PathRules([("/*ab*ba$", False)]).allows("/aba")


def test_allow_wins_a_tie() -> None:
    assert PathRules([("/a", False), ("/a", True)]).allows("/a")
    assert PathRules([("/a*", False), ("/*a", True)]).allows("/a")
    assert not PathRules([("/a", True), ("/ab", False)]).allows("/abc")
