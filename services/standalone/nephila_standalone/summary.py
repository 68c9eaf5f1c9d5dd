"""What is said at the end: what was done, why it ended, where things lie, what to do next."""

import shlex
from collections.abc import Mapping

from nephila_contracts.names import reason_name
from nephila_contracts.v1.reason_pb2 import REASON_OUT_OF_SCOPE

from nephila_standalone.command_name import command_name
from nephila_standalone.directory import DirectoryPaths
from nephila_standalone.errors import NothingFetched, printable
from nephila_standalone.numbers_shown import bytes_shown, count_shown, duration_shown, rate_shown
from nephila_standalone.progress import FinishReason, Progress
from nephila_standalone.reason_texts import by_name, mend_of, text_of, words

_BUDGETS = {
    FinishReason.PAGE_BUDGET: "--pages",
    FinishReason.BYTE_BUDGET: "--bytes",
    FinishReason.TIME_BUDGET: "--time",
}


# Where nothing says how wide a line may be.
_WIDE = 200


def summary_lines(progress: Progress, paths: DirectoryPaths, width: int = _WIDE) -> list[str]:
    """The summary, the headline first, a line an item; an empty line parts the groups.

    Remarks that do not fit into `width` beside what they speak of stand below it.
    """
    return [
        _headline(progress),
        *(f"  {line}" for line in _done(progress)),
        "",
        *_columns(_places(paths), width),
        "",
        "Next:",
        *_columns(_next(progress, paths), width),
    ]


def _headline(progress: Progress) -> str:
    if progress.finish == FinishReason.STOPPED:
        left = count_shown(progress.queued, "URL")
        return f"Stopped in order, with {left} still queued."
    if progress.finish == FinishReason.HOSTS_AWAY:
        left = count_shown(progress.queued, "URL")
        return f"Ended for now: {progress.finish.value}, {left} still queued."
    why = progress.finish.value if progress.finish else "it ended"
    return f"Done: {why}."


def _done(progress: Progress) -> list[str]:
    fetched = progress.pages - progress.pages_before
    rate = fetched / progress.elapsed if progress.elapsed > 0 else 0.0
    pages = count_shown(progress.pages, "page")
    if progress.pages_before:
        pages += f" ({fetched:,} in this run)"
    took = duration_shown(progress.elapsed)
    lines = [f"{pages}, {bytes_shown(progress.bytes)}, in {took}: {rate_shown(rate)} pages/s"]
    if progress.duplicates:
        lines.append(f"{count_shown(progress.duplicates, 'duplicate')} of another page")
    if progress.failed:
        lines.append(f"{sum(progress.failed.values()):,} failed: {reasons_shown(progress.failed)}")
    if progress.refused:
        refused = sum(progress.refused.values())
        lines.append(f"{refused:,} links left out: {reasons_shown(progress.refused)}")
    return lines


def reasons_shown(counts: Mapping[str, int], most: int = 4) -> str:
    """ "gone 8, timed out 4": the largest first."""
    there = [item for item in counts.items() if item[1]]
    ranked = sorted(there, key=lambda item: (-item[1], item[0]))
    shown = [f"{words(name)} {number:,}" for name, number in ranked[:most]]
    if len(ranked) > most:
        shown.append(f"other {sum(number for _, number in ranked[most:]):,}")
    return ", ".join(shown)


def _places(paths: DirectoryPaths) -> list[tuple[str, str]]:
    return [
        (f"{paths.warc}/", "WARC files, CDXJ beside each"),
        (str(paths.page_fetched), "one event for each page"),
        (str(paths.links), "the link graph"),
    ]


def _next(progress: Progress, paths: DirectoryPaths) -> list[tuple[str, str]]:
    nephila, directory = command_name(), shlex.quote(str(paths.path))
    rows = [
        (f"{nephila} pages {directory}", "what was fetched"),
        (f"{nephila} explain URL --in {directory}", "why a URL was fetched, or not"),
    ]
    if progress.finish in (FinishReason.STOPPED, FinishReason.HOSTS_AWAY):
        rows.insert(0, (f"{nephila} crawl --into {directory}", _going_on(progress)))
    elif progress.finish is not None and progress.finish in _BUDGETS:
        option = _BUDGETS[progress.finish]
        command = f"{nephila} crawl --into {directory} {option} none"
        rows.insert(0, (command, "go on without that limit"))
    return rows


def _going_on(progress: Progress) -> str:
    """ "go on", and from when that makes sense."""
    if progress.finish != FinishReason.HOSTS_AWAY or not progress.waiting:
        return "go on"
    return f"go on, {duration_shown(progress.waiting[0].seconds)} from now or later"


def _columns(rows: list[tuple[str, str]], width: int) -> list[str]:
    left_width = max(len(left) for left, _ in rows)
    if all(left_width + len(right) + 5 <= width for _, right in rows):
        return [f"  {left.ljust(left_width)}   {right}" for left, right in rows]
    return [line for left, right in rows for line in (f"  {left}", f"      {right}")]


def nothing_fetched(
    progress: Progress, seeds: tuple[str, ...], sent_on: Mapping[str, str]
) -> NothingFetched:
    """The fault of a crawl that ended without a page, by its most frequent reason.

    `sent_on` has the seeds that redirect, and where to.
    """
    counts = progress.failed or progress.refused
    where = seeds[0] if len(seeds) == 1 else count_shown(len(seeds), "seed")
    if not counts:
        fault = f"nothing could be fetched from {where}"
        if progress.finish == FinishReason.HOSTS_AWAY:
            return NothingFetched(
                f"{fault}: {progress.finish.value}", "the same command goes on later"
            )
        return NothingFetched(fault, "`nephila explain URL --in DIR` tells why")
    name = min(counts, key=lambda name: (-counts[name], name))
    if sent_on and name == reason_name(REASON_OUT_OF_SCOPE):
        return _sent_out_of_scope(*next(iter(sent_on.items())))
    reason = by_name(name)
    text = text_of(reason).removesuffix(".")
    fault = f"nothing could be fetched from {printable(where)} ({words(name)})"
    return NothingFetched(f"{fault}: {text}", mend_of(reason) or "name another URL")


def _sent_out_of_scope(seed: str, target: str) -> NothingFetched:
    fault = f"nothing could be fetched from {printable(seed)} (redirected)"
    where = f"It leads to {printable(target)}, which is outside the crawl's scope"
    mend = "name that URL in its place, or start anew with a wider --scope and another --into"
    return NothingFetched(f"{fault}: {where}", mend)
