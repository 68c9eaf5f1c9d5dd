"""Laws of the site key."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nephila_testkit import shared_data
from nephila_urls import (
    UrlRefused,
    canonicalise,
    host_of,
    path_of,
    scheme_of,
    site_key,
    site_key_of_host,
)


@pytest.mark.parametrize(
    ("host", "key"),
    [
        ("www.example.co.uk", "example.co.uk"),
        ("a.b.example.org:8080", "example.org"),
        ("someone.github.io", "someone.github.io"),
        ("a.someone.github.io", "someone.github.io"),
        ("github.io", "github.io"),
        ("co.uk", "co.uk"),
        ("localhost:8080", "localhost"),
        ("git.test", "git.test"),
        ("www.git.test", "git.test"),
        ("www.example.org.", "example.org"),
        ("127.0.0.1:80", "127.0.0.1"),
        ("[::1]:8080", "[::1]"),
        ("[2001:db8::1]", "[2001:db8::1]"),
        ("xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
        ("a..org", "a..org"),
    ],
)
def test_the_site_key_is_the_registrable_domain_or_the_name_itself(host: str, key: str) -> None:
    assert site_key_of_host(host) == key


def test_the_public_suffix_list_agrees() -> None:
    lines = shared_data.path("psl/tests.txt").read_text().splitlines()
    cases = [line.split() for line in lines if line and not line.startswith("//")]
    for name, registrable in cases:
        try:
            # A host as it stands in a canonical URL.
            host = host_of(canonicalise(f"http://{name}/"))
        except UrlRefused:
            continue
        # Empty labels, which the list's own test says have no domain.
        expected = registrable if registrable != "null" else host.strip(".")
        if name.startswith("."):
            continue
        if not expected.isascii():
            expected = host_of(canonicalise(f"http://{expected}/"))
        assert site_key_of_host(host) == expected.lower(), name


LABELS = st.from_regex(re.compile(r"[a-z][a-z0-9]{0,5}"), fullmatch=True)


@given(st.lists(LABELS, min_size=2, max_size=5), st.sampled_from(["", ":8080"]))
def test_all_hosts_below_a_site_share_its_key(labels: list[str], port: str) -> None:
    key = site_key_of_host(".".join(labels) + port)
    assert site_key_of_host("www." + ".".join(labels)) in (key, "www." + key)
    assert site_key_of_host(key) == key


def test_the_parts_of_a_url_make_it_up() -> None:
    url = canonicalise("https://www.example.org:8443/a/b?c=d")
    assert (scheme_of(url), host_of(url), path_of(url)) == (
        "https",
        "www.example.org:8443",
        "/a/b?c=d",
    )
    assert site_key(url) == "example.org"
