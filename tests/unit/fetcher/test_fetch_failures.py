"""The fetch step when no whole answer comes."""

from typing import Any

import httpx
import pytest
from fetch_scenarios import DEFERRED, FINAL, PAGE, ROBOTS, how_it_ended, html
from nephila_contracts.v1.fetch_pb2 import FetchEnd
from nephila_contracts.v1.page_pb2 import Truncation
from nephila_contracts.v1.reason_pb2 import Reason
from nephila_fetcher import DnsFailed, NoSuchHost, Resolved
from nephila_fetcher.exchange import ConnectionRefused, StaleConnection, TlsFailed


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (httpx.ConnectTimeout("x"), Reason.REASON_TIMED_OUT),
        (httpx.ReadTimeout("x"), Reason.REASON_TIMED_OUT),
        (httpx.ConnectError("x"), Reason.REASON_CONNECTION_FAILED),
        (httpx.ReadError("x"), Reason.REASON_CONNECTION_FAILED),
        (ConnectionRefused("x"), Reason.REASON_CONNECTION_REFUSED),
    ],
)
def test_a_failure_that_may_pass_is_tried_three_times(
    in_world: Any, by_topic: Any, error: Exception, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[PAGE] = error
        return [await world.fetch(PAGE, tries=tries) for tries in range(3)]

    first, second, third = in_world(scenario)
    for emits in (first, second):
        assert set(by_topic(emits)) == {"fetch_completed"}
        assert how_it_ended(by_topic, emits) == (DEFERRED, reason)
    assert how_it_ended(by_topic, third) == (FINAL, reason)
    assert by_topic(third)["page_parsed"][0].reason == reason


@pytest.mark.parametrize(
    ("error", "sent"),
    [
        (httpx.ConnectTimeout("x"), False),
        (httpx.ConnectError("x"), False),
        (ConnectionRefused("x"), False),
        (httpx.ReadTimeout("x"), True),
        (httpx.ReadError("x"), True),
        # It has cost the host something.
        (TlsFailed("x"), True),
    ],
)
def test_a_request_counts_as_sent_only_where_somebody_was_there(
    in_world: Any, by_topic: Any, error: Exception, sent: bool
) -> None:
    async def scenario(world: Any) -> Any:
        await world.fetch(PAGE)
        world.web.pages["http://a.test/2"] = error
        return await world.fetch("http://a.test/2")

    (completed,) = by_topic(in_world(scenario))["fetch_completed"]
    assert completed.request_sent is sent


def test_a_failed_name_is_asked_for_again_when_the_failure_is_forgotten(
    in_world: Any, by_topic: Any
) -> None:
    async def scenario(world: Any) -> Any:
        world.dns.answers["a.test"] = DnsFailed("x")
        await world.fetch(PAGE)
        await world.clock.sleep(10.0)
        return await world.fetch(PAGE)

    (completed,) = by_topic(in_world(scenario))["fetch_completed"]
    assert completed.retry_after_ms == 20_000


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (TlsFailed("x"), Reason.REASON_TLS_FAILED),
        (httpx.RemoteProtocolError("x"), Reason.REASON_PROTOCOL_ERROR),
        (httpx.LocalProtocolError("x"), Reason.REASON_PROTOCOL_ERROR),
    ],
)
def test_a_failure_that_will_not_pass_is_final(
    in_world: Any, by_topic: Any, error: Exception, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[PAGE] = error
        return await world.fetch(PAGE)

    assert how_it_ended(by_topic, in_world(scenario)) == (FINAL, reason)


@pytest.mark.parametrize(
    ("error", "end", "reason"),
    [
        (ConnectionRefused("x"), DEFERRED, Reason.REASON_CONNECTION_REFUSED),
        (TlsFailed("x"), FINAL, Reason.REASON_TLS_FAILED),
    ],
)
def test_a_host_that_cannot_be_reached_is_told_as_it_is_not_as_robots(
    in_world: Any, by_topic: Any, error: Exception, end: FetchEnd, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[ROBOTS] = error
        return await world.fetch(PAGE), await world.fetch("http://a.test/2"), world.web.urls

    first, second, asked = in_world(scenario)
    assert asked == [ROBOTS]
    assert how_it_ended(by_topic, first) == how_it_ended(by_topic, second) == (end, reason)


@pytest.mark.parametrize(
    ("answer", "end", "reason"),
    [
        (NoSuchHost("x"), FINAL, Reason.REASON_NO_SUCH_HOST),
        (DnsFailed("x"), DEFERRED, Reason.REASON_DNS_FAILED),
        (Resolved(("127.0.0.1", "::1", "10.0.0.1"), 60), FINAL, Reason.REASON_ADDRESS_FORBIDDEN),
    ],
)
def test_a_name_that_leads_nowhere_gets_no_request(
    in_world: Any, by_topic: Any, answer: Any, end: FetchEnd, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.dns.answers["a.test"] = answer
        return await world.fetch(PAGE), world.web.urls

    emits, asked = in_world(scenario)
    assert asked == []
    assert how_it_ended(by_topic, emits) == (end, reason)
    assert not by_topic(emits)["fetch_completed"][0].request_sent


def test_a_forbidden_address_among_others_is_never_a_destination(in_world: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.dns.answers["a.test"] = Resolved(("127.0.0.1", "8.8.8.8", "::1"), 60)
        await world.fetch(PAGE)
        return [request.extensions["destination"].addresses for request in world.web.requests]

    assert set(in_world(scenario)) == {("8.8.8.8",)}


def test_a_name_that_turns_to_loopback_is_not_followed_there(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        await world.fetch(PAGE)
        world.dns.answers["a.test"] = Resolved(("127.0.0.1",), 0)
        await world.clock.sleep(3601)
        emits = await world.fetch("http://a.test/2")
        return emits, world.web.urls

    emits, asked = in_world(scenario)
    assert asked == [ROBOTS, PAGE]
    assert how_it_ended(by_topic, emits) == (FINAL, Reason.REASON_ADDRESS_FORBIDDEN)


@pytest.mark.parametrize(
    ("truncation", "end", "reason"),
    [
        (Truncation.TRUNCATION_LENGTH, FINAL, Reason.REASON_FETCHED),
        (Truncation.TRUNCATION_TIME, DEFERRED, Reason.REASON_TIMED_OUT),
        (Truncation.TRUNCATION_DISCONNECT, DEFERRED, Reason.REASON_CONNECTION_FAILED),
    ],
)
def test_a_body_that_is_not_whole_is_no_page_unless_it_was_only_long(
    in_world: Any, by_topic: Any, truncation: Truncation, end: FetchEnd, reason: Reason
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[PAGE] = httpx.Response(
            200, content=b"half", extensions={"truncation": truncation, "wire_body": b"half"}
        )
        return await world.fetch(PAGE)

    emits = in_world(scenario)
    assert how_it_ended(by_topic, emits) == (end, reason)
    pages = by_topic(emits).get("page_downloaded", [])
    assert [page.exchange.truncation for page in pages] == ([truncation] if end == FINAL else [])


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("value", "wait_ms"),
    [
        ("120", 120_000),
        ("-5", 0),
        ("1.5", 0),
        ("", 0),
        ("9" * 30, 86_400_000),
        ("Thu, 01 Jan 2026 00:10:01 GMT", 600_000),
        ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
    ],
)
def test_a_server_that_asks_for_rest_is_put_off_without_counting(
    in_world: Any, by_topic: Any, status: int, value: str, wait_ms: int
) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[PAGE] = httpx.Response(status, headers={"Retry-After": value})
        return await world.fetch(PAGE, tries=7, delay_ms=500)

    emits = in_world(scenario)
    assert set(by_topic(emits)) == {"fetch_completed"}
    (completed,) = by_topic(emits)["fetch_completed"]
    assert (completed.end, completed.reason) == (DEFERRED, Reason.REASON_BACKED_OFF)
    # The page is asked for one second after the start of simulated wall time.
    assert completed.retry_after_ms == wait_ms


def test_a_stale_connection_is_tried_once_more_after_the_delay(
    in_world: Any, by_topic: Any
) -> None:
    async def scenario(world: Any) -> Any:
        failures = [StaleConnection("x")]

        def page(_request: httpx.Request) -> httpx.Response:
            if failures:
                raise failures.pop()
            return html()

        world.web.pages[PAGE] = page
        return await world.fetch(PAGE), world.web.asked

    emits, asked = in_world(scenario)
    assert how_it_ended(by_topic, emits) == (FINAL, Reason.REASON_FETCHED)
    assert [start for start, _, _ in asked] == [0, 1.5, 3.0]


def test_a_connection_that_is_always_stale_counts_as_odd(in_world: Any, by_topic: Any) -> None:
    async def scenario(world: Any) -> Any:
        world.web.pages[PAGE] = StaleConnection("x")
        return await world.fetch(PAGE), len(world.web.urls)

    emits, asked = in_world(scenario)
    assert asked == 3
    assert how_it_ended(by_topic, emits) == (DEFERRED, Reason.REASON_CONNECTION_FAILED)
