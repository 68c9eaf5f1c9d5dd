"""Writes every file that is made from another, or says which of them are stale.

python tools/generate.py
python tools/generate.py --check
"""

import sys
from collections.abc import Iterator

from data_flow import data_flow
from lock import ROOT
from protos import message_classes
from reasons import reasons
from settings import settings


def generated() -> Iterator[tuple[str, str]]:
    """Path from the root and the text that should stand there."""
    yield from message_classes()
    yield "docs/reasons.md", reasons()
    yield "docs/settings.md", settings()
    yield "docs/data-flow.md", data_flow()


def main(arguments: list[str]) -> int:
    stale: list[str] = []
    for name, text in generated():
        path = ROOT / name
        if path.exists() and path.read_text() == text:
            continue
        stale.append(name)
        if "--check" not in arguments:
            path.write_text(text)
            print(f"wrote {name}")
    if stale and "--check" in arguments:
        print(f"stale: {', '.join(stale)}: run `make generate`")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
