"""Fails when something outgrew its room: files, functions, cards, or a promise put off.

Split a file by rule, a function by step; docs/architecture.md names the rooms.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from lock import ROOT

FILE_LINES = 500
FUNCTION_LINES = 50
CARD_LINES = 40
README_LINES = 150
# The brackets keep this line from finding itself.
PUT_OFF = re.compile(r"\b(T[O]DO|F[I]XME|NotImplemented[E]rror)\b|pytest[.]mark[.]ski[p]")
FOLDERS = ("libs", "services", "tests", "tools")


def sources() -> Iterator[Path]:
    """Every file that a person wrote."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not path.stem.endswith("_pb2"):
                yield path


def faults_of(path: Path) -> Iterator[str]:
    where = path.relative_to(ROOT)
    text = path.read_text()
    lines = text.splitlines()
    if len(lines) > FILE_LINES:
        yield f"{where}: {len(lines)} lines, {FILE_LINES} at most"
    for number, line in enumerate(lines, 1):
        if PUT_OFF.search(line):
            yield f"{where}:{number}: put off: {line.strip()}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LINES:
                yield f"{where}:{node.lineno}: {node.name} has {length} lines, {FUNCTION_LINES} at most"


def pages() -> Iterator[str]:
    """The README, and a card for each service."""
    cards = [path.parent / "README.md" for path in sorted(ROOT.glob("services/*/pyproject.toml"))]
    for page, most in [(ROOT / "README.md", README_LINES), *((card, CARD_LINES) for card in cards)]:
        where = page.relative_to(ROOT)
        if not page.exists():
            yield f"{where}: is missing"
        elif (count := len(page.read_text().splitlines())) > most:
            yield f"{where}: {count} lines, {most} at most"


def links() -> Iterator[str]:
    """Links from one page of the repository to another that lead nowhere."""
    for page in sorted(
        [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("*/*/README.md")]
    ):
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text()):
            if not (page.parent / target).exists():
                yield f"{page.relative_to(ROOT)}: links to {target}, which is not there"


def main() -> int:
    faults = [fault for path in sources() for fault in faults_of(path)]
    faults += [*pages(), *links()]
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
