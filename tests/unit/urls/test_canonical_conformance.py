"""What others expect of URLs, from data that nobody here wrote. Policies that we do not share are named."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import pytest
from nephila_testkit import shared_data
from nephila_urls import (
    CanonicalRules,
    CanonicalUrl,
    PageBase,
    Refusal,
    UrlRefused,
    canonicalise,
    host_of,
)

NO_POLICY = CanonicalRules(
    sort_query=False,
    tracking_names=frozenset(),
    tracking_prefixes=(),
    drop_session_ids=False,
    max_length=8192,
)


def outcome(
    text: str, base: str | None = None, rules: CanonicalRules = NO_POLICY
) -> CanonicalUrl | Refusal:
    try:
        return canonicalise(text, base, rules)
    except UrlRefused as refused:
        return refused.refusal


def json_rows(relative: str) -> list[dict[str, Any]]:
    rows = json.loads(shared_data.path(relative).read_text())
    return [row for row in rows if isinstance(row, dict)]


def csv_rows(path: Path) -> list[list[str]]:
    lines = [
        line for line in path.read_text().split("\n") if line.strip() and not line.startswith("#")
    ]
    return [[cell.strip() for cell in row] for row in csv.reader(lines, skipinitialspace=True)]


def with_our_escapes(href: str) -> str:
    """The standard leaves escapes and a lone question mark as they were written."""
    url = href.partition("#")[0].removesuffix("?")
    if not re.search("%(?![0-9A-Fa-f]{2})", url):
        url = re.sub(
            "%(2[DdEe]|3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa]|5[Ff]|7[Ee])",
            lambda match: chr(int(match[1], 16)),
            url,
        )
    return re.sub("%[0-9A-Fa-f]{2}", lambda match: match[0].upper(), url)


@pytest.mark.parametrize("file", ["urltestdata", "ada_extra_urltestdata", "ada_long_urltestdata"])
def test_http_urls_are_read_as_the_standard_has_them(file: str) -> None:
    agreed = 0
    for row in json_rows(f"url-wpt/{file}.json"):
        base = None if row.get("base") in (None, "about:blank") else row["base"]
        got = outcome(row["input"], base)
        if row.get("failure"):
            assert isinstance(got, Refusal), row
        elif not row["href"].startswith(("http:", "https:")):
            assert got in (Refusal.SCHEME, Refusal.NOT_A_URL), row
        elif row["username"] or row["password"]:
            assert got in (Refusal.USERINFO, Refusal.NOT_A_URL), row
        elif row["port"] in ("0", "21"):
            assert got is Refusal.PORT, row
        elif got is Refusal.NOT_A_URL:
            # Control characters and halves of surrogate pairs, which the standard would escape.
            assert re.search("[\x00-\x1f\x7f\ud800-\udfff]", row["input"]), row
        else:
            assert got == with_our_escapes(row["href"]), row
            agreed += 1
    assert agreed


def test_hosts_are_what_the_standard_says_they_are() -> None:
    """Where parsers disagree about the host, an attacker chooses which of them guards it."""
    path = shared_data.path("ssrf/parser_differentials.jsonl")
    for line in path.read_text().splitlines():
        row = json.loads(line)
        got = outcome(row["url"])
        if isinstance(got, Refusal):
            # Refused is as good: nothing is connected to.
            continue
        assert re.sub(":[0-9]+$", "", host_of(got)) == row["whatwg_host"], row


def test_names_become_ascii_as_the_standard_has_it() -> None:
    for row in [*json_rows("url-wpt/toascii.json"), *json_rows("url-wpt/IdnaTestV2.json")]:
        # A name that reads as part of a URL is no question of IDNA.
        if not row["input"] or re.search(r"[\s/\\?#@:%\[\]^|<>\x00-\x1f\x7f]", row["input"]):
            continue
        got = outcome(f"https://{row['input']}/x")
        if row["output"] is None:
            assert isinstance(got, Refusal), row
        else:
            assert got == f"https://{row['output']}/x", row


def test_queries_are_encoded_in_the_charset_of_the_page() -> None:
    for row in json_rows("url-wpt/percent-encoding.json"):
        for charset, expected in row["output"].items():
            # A control character, which we refuse; a private-use one that Python's codec maps.
            if "\x0e" in row["input"] or (charset, row["input"]) == ("gb18030", "\ue5e5"):
                continue
            base = PageBase("http://a.org/", charset=charset)
            assert base.resolve("?" + row["input"]) == f"http://a.org/?{expected}", row


# What crawler-commons' normaliser does and we do not, by the URL that goes in.
NOT_OUR_POLICY = {
    "not http": r"^(?:ftp|file):|^[^:]+$",
    "no host": r"^http:/+$",
    "slashes mean what the server says": r"^\w+://[^?]*//",
    "control characters are refused": r"[\x00-\x1f\x7f]",
    "a broken escape is kept": r"%(?![0-9A-Fa-f]{2})",
    "bytes that browsers send as they are": r"\?.*[\[\]^`|]",
    "a final dot is part of the name": r"//[^/]*\./",
    "a name without a value is none with an empty one": r"[?&]\w+=?(?:&|#|$)",
    "a pair without a name keeps the order": r"[?&]=",
}


def test_crawler_commons_normalises_as_we_do_or_by_another_policy() -> None:
    rows = csv_rows(shared_data.path("url-canon/crawler-commons/weirdToNormalizedUrls.csv"))
    agreed = 0
    for text, expected in rows:
        if outcome(text, None, CanonicalRules()) == expected:
            agreed += 1
        else:
            assert any(re.search(policy, text) for policy in NOT_OUR_POLICY.values()), text
    assert agreed > len(rows) * 2 / 3


def test_links_resolve_as_crawler_commons_has_them() -> None:
    for text, base, expected in csv_rows(
        shared_data.path("url-canon/crawler-commons/url-resolve.csv")
    ):
        if expected.startswith("http"):
            assert outcome(text, base or None) == outcome(expected), text


def test_what_crawler_commons_calls_invalid_is_refused() -> None:
    for (text,) in csv_rows(shared_data.path("url-canon/crawler-commons/invalidUrls.csv")):
        assert outcome(text) is Refusal.NOT_A_URL


def test_funny_ipv4_addresses_are_read_as_browsers_read_them() -> None:
    cases = json.loads(shared_data.path("url-canon/iipc-urlcanon/funky_ipv4.json").read_text())
    for text, address in cases.items():
        got = outcome(f"http://{text}/")
        if address is not None:
            assert got == f"http://{address}/", text
        else:
            # No address: nothing, or a name.
            assert got in (Refusal.NOT_A_URL, f"http://{text}/"), text


# What w3lib's canonicalize_url does and we do not, by the URL that goes in.
NOT_W3LIBS_POLICY = {
    "not absolute, or not http": r"^(?!https?:)",
    "userinfo is refused": "@",
    "values of one name keep their order": r"([?&]\w+=).*\1",
    "a pair without a value keeps the order": r"\?[^=]*$|&\w+(?:&|$)",
    "a space is %20": r"\?.*(?: |%20)",
    "an escaped delimiter stays escaped": "(?i)%2c",
    "labels are encoded whatever their length": r"^http://(?:\.|[^/]{64})",
}


def test_w3lib_canonicalises_as_we_do_or_by_another_policy() -> None:
    lines = shared_data.path("url-canon/w3lib_cases.jsonl").read_text().splitlines()
    calls = [json.loads(line) for line in lines]
    agreed = 0
    for call in calls:
        if (
            call["fn"] != "canonicalize_url"
            or call["kwargs"]
            or not isinstance(call["args"][0], str)
        ):
            continue
        (text,) = call["args"]
        if outcome(text, None, CanonicalRules()) == call["result"]:
            agreed += 1
        else:
            assert any(re.search(policy, text) for policy in NOT_W3LIBS_POLICY.values()), call
    assert agreed > 40
