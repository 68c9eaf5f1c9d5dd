"""Runs as figures: medians with their range, and ratios within the rounds."""

import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from measured import Run

OURS = "nephila"
_HEADINGS = (
    "crawler",
    "CPU s/1,000 pages",
    "range",
    "after 1,000",
    "start s",
    "pages/s",
    "peak MB",
    "ratio",
)


def figures(runs: Mapping[str, Sequence[Run]]) -> dict[str, Any]:
    """By crawler: medians over its rounds, and how many times our CPU time it took (median of ratios)."""
    ours = [run.cpu_per_1000 for run in runs.get(OURS, ())]
    return {name: _of(taken, ours) for name, taken in runs.items()}


def _of(runs: Sequence[Run], ours: Sequence[float]) -> dict[str, Any]:
    cpu = [run.cpu_per_1000 for run in runs]
    marginal = [run.marginal for run in runs if run.marginal is not None]
    return {
        "pages": [run.pages for run in runs],
        "cpu_s_per_1000_pages": round(statistics.median(cpu), 3),
        "best": round(min(cpu), 3),
        "worst": round(max(cpu), 3),
        "user_s_per_1000": round(statistics.median(r.user / r.pages * 1000 for r in runs), 3),
        "system_s_per_1000": round(statistics.median(r.system / r.pages * 1000 for r in runs), 3),
        "after_first_1000": round(statistics.median(marginal), 3) if marginal else None,
        "start_cpu_s": round(statistics.median(run.start for run in runs), 2),
        "pages_per_second": round(statistics.median(run.pages_per_second for run in runs), 1),
        "peak_mb": round(max(run.peak_mb for run in runs), 1),
        "written_kb_per_page": round(
            statistics.median(r.written_mb / r.pages * 1000 for r in runs), 1
        ),
        "ratio_to_ours": _ratio(cpu, ours),
    }


def _ratio(theirs: Sequence[float], ours: Sequence[float]) -> float | None:
    """Of each round by itself: a slow spell of the machine falls on all crawlers of a round."""
    if not ours:
        return None
    return round(statistics.median(a / b for a, b in zip(theirs, ours, strict=True)), 2)


def table(figures: Mapping[str, Mapping[str, Any]]) -> str:
    rows = [_HEADINGS, *(_row(name, of) for name, of in figures.items())]
    widths = [max(len(row[at]) for row in rows) for at in range(len(_HEADINGS))]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _row(name: str, of: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        name,
        f"{of['cpu_s_per_1000_pages']:.2f}",
        f"{of['best']:.2f}..{of['worst']:.2f}",
        _or_dash(of["after_first_1000"], ".2f"),
        f"{of['start_cpu_s']:.2f}",
        f"{of['pages_per_second']:.0f}",
        f"{of['peak_mb']:.0f}",
        _or_dash(of["ratio_to_ours"], ".2f"),
    )


def _or_dash(value: float | None, shape: str) -> str:
    return "-" if value is None else format(value, shape)
