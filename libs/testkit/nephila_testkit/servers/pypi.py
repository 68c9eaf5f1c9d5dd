"""Programs that come in wheels: unpacked by uv into the cache, never into the environment."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from nephila_testkit.debian_packages import NotInstalled
from nephila_testkit.servers.cache import cached


def unpacked(requirement: str) -> Path:
    """A cached folder with one distribution: `requirement` is its pin with all its hashes."""
    name = requirement.split()[0].replace("==", "-")
    digest = hashlib.sha256(requirement.encode()).hexdigest()[:12]

    def build(folder: Path) -> None:
        install = [_uv(), "pip", "install", "--quiet", "--target", str(folder), "--no-deps"]
        ended = subprocess.run(
            [*install, "--python", sys.executable, "--require-hashes", "-r", "-"],
            input=requirement,
            env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"},
            capture_output=True,
            text=True,
        )
        if ended.returncode:
            raise NotInstalled(f"uv cannot install {name}:\n{ended.stderr.strip()}")

    return cached(f"{name}-{digest}", build)


def _uv() -> str:
    """That of our own environment, or any."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which("uv", path=beside) or shutil.which("uv")
    if found is None:
        raise NotInstalled("uv is not here: make setup")
    return found
