"""The small rules: how a body is packed, what settings accept, what the robots cache holds."""

import asyncio
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import zstandard
from nephila_contracts.v1.page_pb2 import Coding
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_fetcher import FetcherSettings
from nephila_fetcher.body_packing import pack, served_coding
from nephila_fetcher.robots import RobotsRules
from nephila_fetcher.robots_cache import RobotsCache, Unreachable
from nephila_runtime.virtual_time import VirtualClock, run_virtual
from pydantic import ValidationError

_PLAIN = Coding.CODING_UNSPECIFIED


@pytest.mark.parametrize(
    ("content_type", "packed"),
    [
        ("text/html; charset=utf-8", True),
        ("application/xhtml+xml", True),
        ("application/ld+json", True),
        ("", True),
        ("image/png", False),
        ("application/pdf", False),
    ],
)
def test_text_without_a_coding_is_packed_and_the_rest_is_not(
    content_type: str, packed: bool
) -> None:
    data = b"a" * 1000
    body = pack(data, _PLAIN, content_type)
    assert body.served_coding == _PLAIN
    assert (body.coding == Coding.CODING_ZSTD) == packed
    assert (zstandard.decompress(body.data) if packed else body.data) == data


def test_a_short_text_is_left_as_it_is() -> None:
    assert pack(b"a" * 256, _PLAIN, "text/html").coding == _PLAIN


def test_one_known_coding_is_told_apart_from_several() -> None:
    assert served_coding(" GZIP ") == Coding.CODING_GZIP
    assert served_coding("identity") == _PLAIN
    assert served_coding("gzip, br") is None
    assert served_coding("identity, gzip") is None


def test_the_user_agent_names_a_contact() -> None:
    settings = FetcherSettings.model_validate({"contact": "https://crawler.test/about"})
    assert settings.user_agent == "Nephila/0.1 (+https://crawler.test/about)"
    assert settings.product_token == "nephila"


@pytest.mark.parametrize("contact", ["me@crawler.test", "mailto:me@crawler.test"])
def test_a_contact_may_be_a_mail_address(contact: str) -> None:
    settings = FetcherSettings.model_validate({"contact": contact})
    assert settings.user_agent == f"Nephila/0.1 (+{contact})"


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"contact": "nobody"},
        {"contact": "https://crawler.test/)evil("},
        {"contact": "https://crawler.test/", "product_token": "ne phila"},
        {"contact": "https://crawler.test/", "robots_lifetime": timedelta(hours=25)},
        {"contact": "https://crawler.test/", "time_limit": timedelta(0)},
        {"contact": "https://crawler.test/", "unheard_of": 1},
    ],
)
def test_settings_without_sense_are_refused(
    wrong: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NEPHILA_FETCHER_CONTACT", raising=False)
    with pytest.raises(ValidationError):
        FetcherSettings.model_validate(wrong)


def _with_cache(scenario: Callable[[RobotsCache, VirtualClock], Any], size: int = 10_000) -> None:
    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        cache = RobotsCache(
            clock, timedelta(hours=24), timedelta(minutes=1), timedelta(hours=1), size
        )
        await scenario(cache, clock)

    run_virtual(main())


def test_the_robots_cache_keeps_to_its_size_and_drops_the_least_used() -> None:
    async def scenario(cache: RobotsCache, _clock: VirtualClock) -> None:
        for number in range(5):
            cache.keep(f"http://{number}.test", RobotsRules(), body_bytes=400)
            cache.verdict("http://0.test")
        assert len(cache) == 4
        assert cache.verdict("http://0.test") is not None
        assert cache.verdict("http://1.test") is None

    _with_cache(scenario, size=9_000)


def test_an_unreachable_robots_txt_rests_longer_each_time_up_to_an_hour() -> None:
    async def scenario(cache: RobotsCache, clock: VirtualClock) -> None:
        rests: list[float] = []
        for _ in range(9):
            verdict = cache.keep_unreachable(
                "http://a.test", Reason.REASON_ROBOTS_UNREACHABLE, timedelta()
            )
            rests.append(verdict.rest(clock.now()).total_seconds())
            await clock.sleep(rests[-1])
            assert cache.verdict("http://a.test") is None
        assert rests == [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600]
        cache.keep("http://a.test", RobotsRules())
        again = cache.keep_unreachable("http://a.test", Reason.REASON_TLS_FAILED, timedelta())
        assert again.rest(clock.now()) == timedelta(minutes=1)
        assert isinstance(cache.verdict("http://a.test"), Unreachable)

    _with_cache(scenario)
