"""Installs Debian packages that the tests need, by apt."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Sequence


class NotInstalled(Exception):
    """Something is missing and cannot be installed by this user; the message says what to do."""


def install(packages: Iterable[str]) -> list[str]:
    """Installs those that are missing and says which. Raises NotInstalled without root or apt."""
    missing = [package for package in packages if not _is_installed(package)]
    if not missing:
        return []
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise NotInstalled(f"as root: apt-get install --no-install-recommends {' '.join(missing)}")
    _apt(["update", "-q"])
    # --no-remove: a package of the tests must not take a program away.
    _apt(["install", "-y", "-q", "--no-install-recommends", "--no-remove", *missing])
    return missing


def _apt(arguments: Sequence[str]) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    try:
        subprocess.run(["apt-get", *arguments], check=True, env=environment)
    except subprocess.CalledProcessError as fault:
        raise NotInstalled(f"apt-get {arguments[0]} ended with {fault.returncode}") from fault


def _is_installed(package: str) -> bool:
    """What dpkg knows as installed."""
    query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
    try:
        return subprocess.run(query, capture_output=True, text=True).stdout == "installed"
    except FileNotFoundError:
        return False
