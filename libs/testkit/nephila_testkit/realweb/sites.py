"""The sites: which Debian package each comes from, and what its robots.txt says."""

from dataclasses import dataclass

# Served by nginx itself, so that every site has rules; the paths are real ones where there are any.
_NOTHING = "Disallow: /private/"


@dataclass(frozen=True, slots=True)
class Site:
    """One site of the real web: `http://NAME:PORT/` is the index of `root`."""

    name: str
    address: str
    package: str
    root: str
    # Lines of robots.txt for all robots.
    robots: str = _NOTHING
    # Whether nginx compresses its text.
    gzip: bool = False


SITES = (
    Site("git.test", "127.66.0.1", "git-doc", "/usr/share/doc/git-doc", gzip=True),
    Site("policy.test", "127.66.0.2", "debian-policy", "/usr/share/doc/debian-policy/policy.html"),
    Site("devref.test", "127.66.0.3", "developers-reference", "/usr/share/developers-reference"),
    Site(
        "pg.test",
        "127.66.0.4",
        "postgresql-doc-15",
        "/usr/share/doc/postgresql-doc-15/html",
        "Disallow: /release-*.html$\nAllow: /release-15",
        gzip=True,
    ),
    Site(
        "python.test", "127.66.0.5", "python3.11-doc", "/usr/share/doc/python3.11/html", gzip=True
    ),
    Site("django.test", "127.66.0.6", "python-django-doc", "/usr/share/doc/python-django-doc/html"),
    Site(
        "sqlalchemy.test",
        "127.66.0.7",
        "python-sqlalchemy-doc",
        "/usr/share/doc/python-sqlalchemy-doc/html",
        gzip=True,
    ),
    Site("sqlite.test", "127.66.0.8", "sqlite3-doc", "/usr/share/doc/sqlite3"),
    # The same manual in many languages, many pages of it with the same bytes; some in EUC-KR and
    # windows-1252. Left are English, Spanish, French, Japanese and Korean.
    Site(
        "httpd.test",
        "127.66.0.9",
        "apache2-doc",
        "/usr/share/doc/apache2-doc/manual",
        "\n".join(f"Disallow: /{code}/" for code in ("da", "de", "pt-br", "ru", "tr", "zh-cn")),
    ),
)

# nginx-light and dnsmasq-base carry no service that would start itself on another address.
SERVER_PACKAGES = ("nginx-light", "dnsmasq-base")

PACKAGES = (*(site.package for site in SITES), *SERVER_PACKAGES)


def by_host(host: str) -> Site:
    """The site of a Host field: its name or its address, with or without port.

    StopIteration for another.
    """
    name = host.partition(":")[0].removeprefix("www.")
    return next(site for site in SITES if name in (site.name, site.address))


def robots_text(site: Site) -> str:
    """The site's robots.txt."""
    return f"User-agent: *\n{site.robots}\n"
