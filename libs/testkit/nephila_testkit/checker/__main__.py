"""The checker as a command: one line of JSON; ends with 1 when a law is broken."""

import argparse
import sys
from pathlib import Path

from nephila_testkit.checker.judgement import Terms, judge
from nephila_testkit.checker.outputs import read_outputs
from nephila_testkit.web.graph import SyntheticWeb
from nephila_testkit.web.reachable import reachable
from nephila_testkit.web.served import read_log
from nephila_testkit.web.shape import WebShape


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m nephila_testkit.checker")
    parser.add_argument("--log", type=Path, required=True, help="of nephila_testkit.web.server")
    parser.add_argument("--dir", type=Path, help="the crawl's DIR")
    parser.add_argument("--shape", help="the web as JSON: what is reachable in it is looked for")
    parser.add_argument("--seed-url", action="append", help="default: the web's own seed")
    parser.add_argument("--scope", choices=("any", "site", "host", "prefix"), default="any")
    parser.add_argument("--delay", type=float, default=0.0, help="seconds")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--repeats-allowed", type=int, default=0)
    given = parser.parse_args()
    expected = None
    if given.shape:
        web = SyntheticWeb(WebShape.from_json(given.shape))
        expected = reachable(web, given.seed_url or web.seeds, given.scope)
    terms = Terms(given.delay, given.kills, given.repeats_allowed)
    outputs = read_outputs(given.dir) if given.dir else None
    report = judge(read_log(given.log), terms, expected, outputs)
    print(report.to_json())
    return 0 if report.is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
