"""Members of a group in processes of their own, as a test sees them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kafka_member import Plan
from nephila_runtime.kafka_settings import KafkaSettings

_SCRIPT = Path(__file__).with_name("kafka_member.py")
_PATIENCE_S = 40.0


def eventually(holds: Callable[[], object], patience: float = _PATIENCE_S) -> None:
    """Returns once it holds; fails after the patience."""
    patient_until = time.monotonic() + patience
    while not holds():
        assert time.monotonic() < patient_until, "it never came to hold"
        time.sleep(0.05)


@dataclass(frozen=True)
class Event:
    at: float
    """On the machine's boot clock, the same for all processes."""
    words: list[str]


class MemberProcess:
    """One running member."""

    def __init__(self, process: "subprocess.Popen[bytes]", told: Path) -> None:
        self._process = process
        self._told = told

    def events(self, *first: str) -> list[Event]:
        """What it said so far, beginning with these words."""
        if not self._told.exists():
            return []
        lines = [line.split() for line in self._told.read_text().splitlines()]
        events = [Event(float(at), words) for at, *words in lines]
        return [event for event in events if event.words[: len(first)] == list(first)]

    def started(self) -> list[str]:
        return [event.words[1] for event in self.events("started")]

    def partitions(self) -> set[int]:
        """Those it was assigned last, unless they were revoked since."""
        told = [e for e in self.events() if e.words[0] in ("assigned", "revoked")]
        if not told or told[-1].words[0] == "revoked" or told[-1].words[1] in ("clean", "unclean"):
            return set()
        return {int(partition) for partition in told[-1].words[1].split(",")}

    def send(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def ended(self) -> bool:
        return self._process.poll() is not None


@contextmanager
def member(settings: KafkaSettings, told: Path, **plan: Any) -> Generator[MemberProcess]:
    """Runs inside the block; its errors go to a file beside what it tells."""
    given = settings.model_dump(mode="json", exclude={"sasl_password"})
    with told.with_suffix(".err").open("ab") as errors:
        process = subprocess.Popen(
            [sys.executable, str(_SCRIPT), str(told)],
            stdin=subprocess.PIPE,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": str(_SCRIPT.parent)},
        )
        assert process.stdin is not None
        with process.stdin as stdin:
            stdin.write(Plan(settings=given, **plan).model_dump_json().encode())
        try:
            yield MemberProcess(process, told)
        finally:
            process.kill()
            process.wait()
