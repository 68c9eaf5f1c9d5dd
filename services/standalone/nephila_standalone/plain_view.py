"""Progress as plain lines, for pipes and logs."""

from typing import TextIO

from nephila_standalone.directory import DirectoryPaths
from nephila_standalone.errors import printable
from nephila_standalone.numbers_shown import bytes_shown, duration_shown, rate_shown
from nephila_standalone.pace import Pace
from nephila_standalone.progress import DRAIN_LIMIT, CrawlState, Progress, Waiting
from nephila_standalone.summary import reasons_shown, summary_lines

_EVERY_SECONDS = 5.0
# What is shorter would be shown as "0.0 s".
_SHORTEST_WAIT = 0.05


class PlainView:
    """A line each five seconds, and one at each change of state."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._pace = Pace(_EVERY_SECONDS)

    def show(self, progress: Progress) -> None:
        if self._pace.is_due(progress):
            self._write(progress_line(progress))

    def finish(self, progress: Progress, paths: DirectoryPaths) -> None:
        for line in summary_lines(progress, paths):
            self._write(line)

    def close(self) -> None:
        self._output.flush()

    def _write(self, line: str) -> None:
        self._output.write(printable(line) + "\n")
        self._output.flush()


def progress_line(progress: Progress) -> str:
    """All of a snapshot that matters, on one line."""
    parts = [
        f"{progress.pages:,} fetched ({rate_shown(progress.pages_per_second)}/s,"
        f" {bytes_shown(progress.bytes)})",
        f"{progress.queued:,} queued",
    ]
    if progress.failed:
        failed = sum(progress.failed.values())
        parts.append(f"{failed:,} failed ({reasons_shown(progress.failed, 3)})")
    if progress.duplicates:
        parts.append(f"{progress.duplicates:,} duplicates")
    line = f"{duration_shown(progress.elapsed):>10}  {state_shown(progress)}: {', '.join(parts)}"
    if progress.waiting and progress.state == CrawlState.CRAWLING:
        line += f"; {waiting_shown(progress.waiting[0])}"
    return line


def state_shown(progress: Progress) -> str:
    """The state in words, with what a person has to know about it."""
    if progress.state == CrawlState.DRAINING:
        seconds = DRAIN_LIMIT.total_seconds()
        return f"draining, up to {seconds:.0f} s (the same command goes on)"
    if progress.state == CrawlState.PAUSED and progress.paused_by:
        return f"paused, {progress.paused_by}"
    return progress.state.value


def waiting_shown(waiting: Waiting) -> str:
    """ "waiting 0.7 s for docs.example.org: crawl delay"."""
    seconds = f" {duration_shown(waiting.seconds)}" if waiting.seconds >= _SHORTEST_WAIT else ""
    return f"waiting{seconds} for {waiting.host}: {waiting.why.value}"
