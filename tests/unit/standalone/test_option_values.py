from collections.abc import Callable
from datetime import timedelta
from ipaddress import ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nephila_standalone import option_values
from nephila_standalone.errors import BadInput

PARSERS = [
    option_values.count,
    option_values.at_least_one,
    option_values.size,
    option_values.duration,
    option_values.positive_duration,
    option_values.pattern,
    option_values.network,
    option_values.name_server,
    option_values.contact,
]


@given(st.sampled_from(PARSERS), st.text(max_size=40))
def test_any_text_is_a_value_or_one_fault_that_names_the_option(
    parse: Callable[[str, str], object], text: str
) -> None:
    try:
        parse("--option", text)
    except BadInput as fault:
        (line,) = fault.lines()
        assert "--option" in line
        assert line.isprintable()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10MB", 10_000_000),
        ("1.5 GB", 1_500_000_000),
        ("500000", 500_000),
        ("64KiB", 65_536),
        ("1k", 1000),
    ],
)
def test_sizes_are_read_as_people_write_them(text: str, expected: object) -> None:
    assert option_values.size("--bytes", text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("10m", timedelta(minutes=10)),
        ("1h30m", timedelta(hours=1, minutes=30)),
        ("90", timedelta(seconds=90)),
        ("0.05", timedelta(milliseconds=50)),
        ("250ms", timedelta(milliseconds=250)),
        ("2d", timedelta(days=2)),
    ],
)
def test_times_are_read_as_people_write_them(text: str, expected: object) -> None:
    assert option_values.duration("--time", text) == expected


@pytest.mark.parametrize("text", ["", "10 apples", "m", "1h30", "-5", "1e3", "nan", "10m5"])
def test_what_is_no_time_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--time"):
        option_values.duration("--time", text)


@pytest.mark.parametrize("text", ["", "-1", "10QB", "0", "1e9", "٣"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--bytes"):
        option_values.size("--bytes", text)


def test_a_network_with_host_bits_is_answered_by_what_was_meant() -> None:
    with pytest.raises(BadInput, match=r"127\.0\.0\.0/8, or 127\.0\.0\.1 for that address alone"):
        option_values.network("--allow-network", "127.0.0.1/8")
    assert option_values.network("--allow-network", "::1") == ip_network("::1/128")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("127.0.0.1:5353", ("127.0.0.1", 5353)),
        ("127.0.0.1", ("127.0.0.1", 53)),
        ("[::1]:5353", ("::1", 5353)),
        ("::1", ("::1", 53)),
    ],
)
def test_a_name_server_is_an_address_and_a_port(text: str, expected: object) -> None:
    assert option_values.name_server("--dns", text) == expected


@pytest.mark.parametrize("text", ["localhost:53", "127.0.0.1:", "127.0.0.1:0", "127.0.0.1:65536"])
def test_what_is_no_name_server_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="--dns"):
        option_values.name_server("--dns", text)


@pytest.mark.parametrize(
    "text", ["me@example.org\r\nX: y", "me (x)@a.org", "example.org", "a\x1b@b"]
)
def test_a_contact_never_breaks_out_of_the_user_agent(text: str) -> None:
    with pytest.raises(BadInput):
        option_values.contact("--contact", text)


def test_none_lifts_a_limit() -> None:
    assert option_values.unless_none(option_values.size)("--bytes", "None") is None
    assert option_values.unless_none(option_values.size)("--bytes", "1MB") == 1_000_000
