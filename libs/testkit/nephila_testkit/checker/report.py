"""What a check found, typed and as one line of JSON."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field

_EXAMPLES = 5


@dataclass(slots=True)
class Finding:
    """One law: how often it was broken, and the first few times."""

    law: str
    violations: int = 0
    examples: list[str] = field(default_factory=list[str])

    def add(self, example: str) -> None:
        self.violations += 1
        if len(self.examples) < _EXAMPLES:
            self.examples.append(example)

    @classmethod
    def of(cls, law: str, examples: Iterable[str]) -> "Finding":
        """Each example is one violation."""
        finding = cls(law)
        for example in examples:
            finding.add(example)
        return finding


@dataclass(slots=True)
class Report:
    """All laws, with what was counted on the way."""

    findings: list[Finding]
    counts: dict[str, int]

    @property
    def broken(self) -> list[Finding]:
        """The laws that did not hold."""
        return [finding for finding in self.findings if finding.violations]

    @property
    def is_clean(self) -> bool:
        return not self.broken

    def __getitem__(self, law: str) -> Finding:
        return next(finding for finding in self.findings if finding.law == law)

    def to_json(self) -> str:
        """One line: whether all held, the counts, each law's violations, examples of the broken."""
        told = {
            "clean": self.is_clean,
            **self.counts,
            "violations": {finding.law: finding.violations for finding in self.findings},
            "examples": {finding.law: finding.examples for finding in self.broken},
        }
        return json.dumps(told, separators=(",", ":"))
