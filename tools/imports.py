"""Fails when a member imports what its pyproject.toml does not declare, or declares what it never imports.

The shared environment hides both: everything is installed, so a missing dependency shows only in
the image of that one service.
"""

import ast
import importlib.metadata
import re
import sys
import tomllib
from pathlib import Path

from lock import ROOT, members

# Distributions that a member needs without an import statement, and why.
WITHOUT_IMPORT: dict[tuple[str, str], str] = {}


def normal(distribution: str) -> str:
    """PEP 503: how two spellings of a distribution's name are compared."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def imported(package: Path) -> dict[str, Path]:
    """Top-level names that a package imports, each with a file that does."""
    found: dict[str, Path] = {}
    for path in sorted(package.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(), str(path))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names = [node.module]
            else:
                continue
            for name in names:
                found.setdefault(top_level(name), path.relative_to(ROOT))
    return found


def top_level(name: str) -> str:
    # `google` is a namespace that several distributions share; protobuf is the one in use.
    return "google.protobuf" if name.startswith("google.protobuf") else name.split(".")[0]


def distributions() -> dict[str, str]:
    """Which distribution brings an importable name."""
    by_name = {
        name: normal(owners[0])
        for name, owners in importlib.metadata.packages_distributions().items()
    }
    by_name["google.protobuf"] = "protobuf"
    for member in members():
        name = tomllib.loads(member.read_text())["project"]["name"]
        by_name[name.replace("-", "_")] = name
    return by_name


def faults(member: Path, by_name: dict[str, str]) -> list[str]:
    """One line each; none when the member's declaration is right."""
    project = tomllib.loads(member.read_text())["project"]
    declared = {
        normal(re.split(r"[\s<>=!~;\[]", line, maxsplit=1)[0]) for line in project["dependencies"]
    }
    package = project["name"].replace("-", "_")
    used: dict[str, Path] = {}
    for name, path in imported(member.parent / package).items():
        if name not in sys.stdlib_module_names and name != package:
            used.setdefault(by_name.get(name, name), path)
    where = member.relative_to(ROOT)
    lines = [
        f"{used[name]}: imports {name}, not in {where}" for name in used if name not in declared
    ]
    lines += [
        f"{where}: declares {name}, which nothing in {package} imports"
        for name in sorted(declared - used.keys())
        if (project["name"], name) not in WITHOUT_IMPORT
    ]
    return lines


def main() -> int:
    by_name = distributions()
    lines = [line for member in members() for line in faults(member, by_name)]
    print("\n".join(lines), end="\n" if lines else "")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
