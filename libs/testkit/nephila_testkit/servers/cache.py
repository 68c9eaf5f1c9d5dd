"""What was downloaded once: a folder of the user's, outside the checkout."""

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from nephila_testkit.servers.locks import locked


def root() -> Path:
    """`nephila-servers` in the user's cache folder (XDG Base Directory Specification)."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nephila-servers"


def cached(name: str, build: Callable[[Path], None]) -> Path:
    """The folder `name` of the cache, filled by `build(folder)` when it is not there yet.

    It appears whole or not at all; a second process waits for the first. The name must tell the
    version, since nothing is ever built twice under one name.
    """
    place = root() / name
    if place.is_dir():
        return place
    with locked(root() / f"{name}.lock"):
        if not place.is_dir():
            building = Path(tempfile.mkdtemp(prefix=f"{name}.", dir=root()))
            try:
                build(building)
                building.rename(place)
            finally:
                shutil.rmtree(building, ignore_errors=True)
    return place
