"""The separate program's own reading of links and URLs, and the servers' settings."""

from pathlib import Path

import pytest
from nephila_testkit.realweb import nginx
from nephila_testkit.realweb.reachable import canonical, links_of
from nephila_testkit.realweb.sites import SITES

BASE = "http://git.test:8066/docs/a.html"


@pytest.mark.parametrize(
    ("href", "url"),
    [
        ("b.html#part", "http://git.test:8066/docs/b.html"),
        ("../x/./y/../z", "http://git.test:8066/x/z"),
        ("HTTP://GIT.test:80", "http://git.test/"),
        ("http://git.test/a/../b", "http://git.test/b"),
        (" b c.html\n", "http://git.test:8066/docs/b%20c.html"),
        ("%7euser/%c3%a9", "http://git.test:8066/docs/~user/%C3%A9"),
        ("?b=2&a=1", "http://git.test:8066/docs/a.html?a=1&b=2"),
        ("//pg.test/", "http://pg.test/"),
        ("mailto:a@b.test", None),
        ("http://[", None),
    ],
)
def test_a_link_means_one_url(href: str, url: str | None) -> None:
    assert canonical(BASE, href) == url


def test_links_are_those_that_lead_to_pages() -> None:
    page = b"""<head><base href="/base/"><link rel=next href=n><link rel=stylesheet href=s.css>
        <link rel=alternate hreflang=de href=de><meta http-equiv=refresh content="0; URL=r"></head>
        <a href=a>a</a><a rel=nofollow href=no>x</a><area href=m><img src=i.png><a name=x>x</a>
        <iframe src=f></iframe><a href="a#again">a</a><script>document.write('<a href="w">')</script>"""
    found = [url.removeprefix("http://git.test:8066/base/") for url in links_of(BASE, page)]
    assert [name for name in found if name] == ["n", "de", "r", "a", "m", "f"]


def test_a_page_that_asks_not_to_be_followed_gives_no_links() -> None:
    page = b'<meta name=robots content="noindex, NoFollow"><a href=a>a</a>'
    assert list(links_of(BASE, page)) == []


def test_every_site_has_an_address_and_a_server_of_its_own() -> None:
    assert len({site.address for site in SITES}) == len(SITES)
    text = nginx.configuration(Path("/tmp/x"), 8066)
    for site in SITES:
        assert f"listen {site.address}:8066;" in text
        assert f"root {site.root};" in text
