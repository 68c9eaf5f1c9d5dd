"""Judges a crawl from outside: by what the servers wrote down and by what lies on the crawler's disk.

It uses nothing of the product. Each law is a function from evidence to a `Finding`; `judge` applies
those for which there is evidence. The laws bear the names of the invariants that they watch:
I1 no loss, I2 bounded repeats, I3 politeness, I4 robots, I5 stored equals served, I6 events and
stored pages agree, I7 bounded connections.

`python -m nephila_testkit.checker` prints the report as one line of JSON and ends with 1 when a law
is broken.
"""

from nephila_testkit.checker.judgement import Terms, judge
from nephila_testkit.checker.report import Finding, Report

__all__ = ["Finding", "Report", "Terms", "judge"]
