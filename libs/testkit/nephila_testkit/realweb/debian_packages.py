"""Installs what the real web is made of, by apt."""

import os
import subprocess

from nephila_testkit.realweb.sites import SERVER_PACKAGES, SITES


class NotInstalled(Exception):
    """Packages are missing and cannot be installed by this user; the message names them."""


def install() -> list[str]:
    """Installs what is missing and says what that was. Raises NotInstalled without root."""
    missing = missing_packages()
    if not missing:
        return []
    if os.geteuid() != 0:
        raise NotInstalled(f"as root: apt-get install --no-install-recommends {' '.join(missing)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "update", "-q"], check=True, env=environment)
    # --no-remove: a documentation package must not take a program away.
    options = ["-y", "-q", "--no-install-recommends", "--no-remove"]
    subprocess.run(["apt-get", "install", *options, *missing], check=True, env=environment)
    return missing


def missing_packages() -> list[str]:
    """Those of the sites and servers that dpkg does not know as installed."""
    wanted = [*(site.package for site in SITES), *SERVER_PACKAGES]
    return [package for package in wanted if not _is_installed(package)]


def _is_installed(package: str) -> bool:
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    try:
        return subprocess.run(query, capture_output=True, text=True).stdout == "installed"
    except FileNotFoundError:
        return False
