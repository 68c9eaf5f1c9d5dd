"""No address of ours is ever reachable, whatever it is wrapped in."""

import json

import pytest
from nephila_fetcher import AddressGuard
from nephila_testkit import shared_data
from nephila_urls import UrlRefused, canonicalise, host_of

# WPT only says that this parses; special_ranges forbids it (IPv4-compatible loopback), and we follow.
_WPT_ALLOWS_BUT_LOOPBACK = "::7f00:1"


def _rows(name: str) -> list[dict[str, object]]:
    with shared_data.path(f"ssrf/{name}").open() as lines:
        return [json.loads(line) for line in lines]


def test_every_special_range_is_forbidden_and_its_neighbours_are_not() -> None:
    guard = AddressGuard()
    rows = _rows("special_ranges.jsonl")
    assert len(rows) == 56
    wrong = [row for row in rows if guard.forbids(str(row["address"])) != row["must_block"]]
    assert wrong == []


def test_hosts_that_the_standard_reads_as_addresses_are_judged_as_such() -> None:
    guard = AddressGuard()
    for row in _rows("wpt_ip_hosts.jsonl"):
        name = str(row["whatwg_hostname"]).strip("[]")
        if name != _WPT_ALLOWS_BUT_LOOPBACK:
            assert guard.forbids(name) == row["must_block"], row
    assert guard.forbids(_WPT_ALLOWS_BUT_LOOPBACK)


def test_urls_that_parsers_read_differently_lead_to_no_special_address() -> None:
    guard = AddressGuard()
    for row in _rows("parser_differentials.jsonl"):
        try:
            name = host_of(canonicalise(str(row["url"]))).partition(":")[0]
        except UrlRefused:
            continue
        if name[:1].isdigit():
            assert guard.forbids(name), row


@pytest.mark.parametrize("text", ["", "localhost", "127.1", "0x7f000001", "::1%lo", "1.2.3.4 "])
def test_what_is_no_address_is_forbidden(text: str) -> None:
    assert AddressGuard().forbids(text)


def test_only_the_networks_of_the_operator_are_exceptions() -> None:
    guard = AddressGuard(["127.0.0.0/8", "fd00::/8"])
    assert not guard.forbids("127.9.9.9")
    assert not guard.forbids("::ffff:127.0.0.1")
    assert not guard.forbids("fd00::1")
    assert guard.forbids("10.0.0.1")
    assert guard.forbids("::1")
    assert guard.forbids("::ffff:10.0.0.1")


def test_of_several_addresses_the_forbidden_ones_are_dropped() -> None:
    assert AddressGuard().permitted(("8.8.8.8", "127.0.0.1", "::1")) == ("8.8.8.8",)
