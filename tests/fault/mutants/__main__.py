"""`make mutants`: breaks a copy of the product in each way, and sees whether the checks notice.

A mutant is killed when its check fails for the law that was broken. Exit code 1 when one survives.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from mutations import MUTATIONS, Edit, Mutation

ROOT = Path(__file__).resolve().parents[3]
_SEEDS = 50


def main() -> int:
    parser = argparse.ArgumentParser(prog="make mutants")
    parser.add_argument("--only", default="", help="those whose name has this in it")
    chosen = [one for one in MUTATIONS if parser.parse_args().only in one.name]
    with TemporaryDirectory(prefix="mutants-") as folder:
        tree = copied(Path(folder) / "tree")
        for check in sorted({mutation.check for mutation in chosen}):
            told, _ = run(tree, check)
            assert told == "", f"{check} is red on the unbroken product:\n{told[-3000:]}"
        survivors = [mutation.name for mutation in chosen if not killed(tree, mutation)]
    print(f"{len(chosen) - len(survivors)} of {len(chosen)} mutants killed")
    return 1 if survivors else 0


def killed(tree: Path, mutation: Mutation) -> bool:
    originals = {edit.path: (tree / edit.path).read_text() for edit in mutation.edits}
    for edit in mutation.edits:
        apply(tree, edit)
    told, seconds = run(tree, mutation.check)
    for path, text in originals.items():
        (tree / path).write_text(text)
    outcome = "SURVIVED" if not told else "killed" if names(told, mutation.law) else "OTHER LAW"
    print(f"{mutation.name:42} {outcome:9} {mutation.law:20} {seconds:5.0f} s", flush=True)
    if outcome == "OTHER LAW":
        print(told[-3000:])
    return outcome == "killed"


def names(told: str, law: str) -> bool:
    """Whether the law is among those broken: a report's violations, or a test that failed."""
    return bool(re.search(rf'"{law}[^"]*":[1-9]|FAILED.*{law}', told))


def apply(tree: Path, edit: Edit) -> None:
    text = (tree / edit.path).read_text()
    found = text.count(edit.old)
    assert found == 1, f"{edit.path} has {edit.old!r} {found} times: the mutation is out of date"
    (tree / edit.path).write_text(text.replace(edit.old, edit.new))


def copied(tree: Path) -> Path:
    """The files that git knows, as they are on disk."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "libs", "services", "tests", "pyproject.toml", "proto"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, tree / name)
    return tree


def run(tree: Path, check: str) -> tuple[str, float]:
    """What the check tells when it is red, empty when it is green; and how long it took."""
    members = [*sorted((tree / "libs").iterdir()), *sorted((tree / "services").iterdir())]
    environment = {
        **os.environ,
        # Goes before the installed members.
        "PYTHONPATH": os.pathsep.join(map(str, members)),
        # Python would take a file that was changed within a second for its compiled self.
        "PYTHONDONTWRITEBYTECODE": "1",
        "SIMULATE_SEEDS": str(_SEEDS),
    }
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-x", "-vv", "-p", "no:cacheprovider", check],
        cwd=tree,
        env=environment,
        capture_output=True,
        text=True,
    )
    return ("" if done.returncode == 0 else done.stdout + done.stderr), time.monotonic() - began


if __name__ == "__main__":
    sys.exit(main())
