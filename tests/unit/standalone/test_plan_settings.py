"""What the command line says to the services, and what it leaves to their own settings."""

from dataclasses import replace
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.plan_settings import fetcher_settings, frontier_settings, parser_settings

PLAN = CrawlPlan(seeds=("https://a.test/",), into=Path("d"))
OWN = replace(PLAN, allow_networks=(ip_network("127.0.0.0/8"),), delay=timedelta(0))


def test_a_setting_holds_where_the_command_line_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEPHILA_FETCHER_CONTACT", "https://crawler.test/")
    monkeypatch.setenv("NEPHILA_FETCHER_LONGEST_PAUSE", "PT7S")
    monkeypatch.setenv("NEPHILA_FETCHER_OBEY_CRAWL_DELAY", "false")
    monkeypatch.setenv("NEPHILA_FRONTIER_LONGEST_CRAWL_DELAY", "PT9S")
    monkeypatch.setenv("NEPHILA_PARSER_WORKERS", "3")
    fetcher = fetcher_settings(PLAN)
    assert fetcher.contact == "https://crawler.test/"
    assert fetcher.longest_pause == timedelta(seconds=7)
    assert not fetcher.obey_crawl_delay
    slow = replace(PLAN, delay=timedelta(seconds=2))
    assert frontier_settings(slow).longest_crawl_delay == timedelta(seconds=9)
    assert parser_settings(PLAN).workers == 3


def test_the_command_line_stands_over_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEPHILA_FETCHER_CONTACT", "https://crawler.test/")
    monkeypatch.setenv("NEPHILA_PARSER_WORKERS", "3")
    assert fetcher_settings(replace(PLAN, contact="me@a.test")).contact == "me@a.test"
    assert parser_settings(replace(PLAN, workers=2)).workers == 2


def test_a_given_delay_is_the_last_word_on_ones_own_network_alone() -> None:
    assert not fetcher_settings(OWN).obey_crawl_delay
    assert frontier_settings(OWN).longest_crawl_delay == timedelta()
    public = replace(PLAN, delay=timedelta(seconds=2))
    assert fetcher_settings(public).obey_crawl_delay
    assert frontier_settings(public).longest_crawl_delay > timedelta()


def test_a_given_delay_is_that_of_host_site_and_address_and_does_not_adapt() -> None:
    settings = frontier_settings(replace(PLAN, delay=timedelta(seconds=2)))
    delays = {settings.host_delay, settings.site_delay, settings.ip_interval}
    assert delays == {timedelta(seconds=2)}
    assert settings.delay_factor == 0
