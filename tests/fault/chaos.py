"""Kills crawls again and again, and ends with one line: `make chaos KILLS=150`.

Exit code 1 when a law is broken; each broken crawl's report comes before the line, and its folder is
kept.
"""

import argparse
import shutil
import sys
from pathlib import Path
from tempfile import mkdtemp

from killed_crawls import POINTS, in_two_lanes

_KINDS = ["instant", "instant", "parser", *POINTS, "within commit"]
_NETWORK = 84


def main() -> int:
    parser = argparse.ArgumentParser(prog="make chaos")
    parser.add_argument("--kills", type=int, default=150)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    into = Path(mkdtemp(prefix="chaos-"))
    tally = in_two_lanes(_KINDS, given.kills, into, given.seed, _NETWORK)
    for report in tally.broken():
        print(report)
    print(tally.line())
    if tally.broken() or tally.orphans:
        print(f"kept: {into}")
        return 1
    shutil.rmtree(into)
    return 0


if __name__ == "__main__":
    sys.exit(main())
