"""Writes the three lock files, or says whether they are stale.

    python tools/lock.py            takes up changed dependencies, keeps every other pin
    python tools/lock.py --upgrade  moves every pin to the newest release that the members allow
    python tools/lock.py --check    fails when a member's dependencies changed after the lock; offline

Each file names pins and hashes for every platform and every Python that the members allow, and no
registry host: docs/adr/0004-uv-and-pins-without-hosts.md.
"""

import hashlib
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
WORKSPACE = "pyproject.toml"
OLDEST_PYTHON = "3.11"
FINGERPRINT = "# declared: "

EVERYTHING = "requirements.lock"
PRODUCT = "requirements-run.lock"
BOOTSTRAP = "requirements-uv.lock"


def members() -> list[Path]:
    """The pyproject.toml of each member, in the order of their folders."""
    return sorted([*ROOT.glob("libs/*/pyproject.toml"), *ROOT.glob("services/*/pyproject.toml")])


def read(pyproject: Path) -> dict[str, Any]:
    return tomllib.loads(pyproject.read_text())


def names() -> list[str]:
    """Distribution names of the members: they are installed from the tree, never from a registry."""
    return [read(member)["project"]["name"] for member in members()]


def declared() -> str:
    """A digest of everything that decides a resolution: equal digests, equal lock files."""
    said: list[Any] = []
    for pyproject in [ROOT / WORKSPACE, *members()]:
        tables = read(pyproject)
        project = tables["project"]
        groups = {
            name: sorted(group) for name, group in tables.get("dependency-groups", {}).items()
        }
        said.append(
            [project["name"], project["requires-python"], sorted(project["dependencies"]), groups]
        )
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def written(lock: str) -> Iterator[str]:
    """The digests that a lock file says it was made from: one, or none."""
    path = ROOT / lock
    if path.exists():
        for line in path.read_text().splitlines():
            if line.startswith(FINGERPRINT):
                yield line.removeprefix(FINGERPRINT)


def compile_lock(lock: str, sources: list[str], upgrade: bool) -> None:
    """Resolves `sources` into `lock`. Pins that stand in the file are kept unless `upgrade`."""
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--generate-hashes"]
    command += ["--python-version", OLDEST_PYTHON, "--no-header", "--no-annotate"]
    command += [word for name in names() for word in ("--no-emit-package", name)]
    command += ["--upgrade"] if upgrade else []
    # The digest goes on afterwards: uv reads the file for its pins and writes it anew.
    subprocess.run([*command, "--output-file", lock, *sources], cwd=ROOT, check=True)
    path = ROOT / lock
    path.write_text(f"# Written by `make lock`.\n{FINGERPRINT}{declared()}\n{path.read_text()}")


def renew(upgrade: bool) -> None:
    every_member = [str(member.relative_to(ROOT)) for member in members()]
    compile_lock(EVERYTHING, [WORKSPACE, "--group", f"{WORKSPACE}:dev", *every_member], upgrade)
    # The product's pins are those that were tested: the first file bounds the second.
    compile_lock(PRODUCT, [WORKSPACE, "--constraint", EVERYTHING], upgrade)
    compile_lock(BOOTSTRAP, ["--group", f"{WORKSPACE}:bootstrap"], upgrade)


def check() -> int:
    stale = [
        lock for lock in (EVERYTHING, PRODUCT, BOOTSTRAP) if list(written(lock)) != [declared()]
    ]
    if stale:
        print(f"stale: {', '.join(stale)}: dependencies were changed after it; run `make lock`")
    return 1 if stale else 0


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        return check()
    if arguments not in ([], ["--upgrade"]):
        print(__doc__)
        return 2
    renew(upgrade=bool(arguments))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
