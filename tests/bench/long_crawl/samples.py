"""The figures of a crawl at one moment, and what became of them on the way."""

from collections.abc import Sequence
from dataclasses import dataclass

# Pages between whose samples a cost is taken: enough that one checkpoint or slow second counts little.
_SPAN = 10_000


@dataclass(frozen=True, slots=True)
class Sample:
    """`cpu` is seconds of the whole tree since its start; `kernel` CPU seconds of the fixed work.

    `known` are URLs let through: fetched, failed, out or queued.
    """

    seconds: float
    pages: int
    known: int
    cpu: float
    kernel: float
    resident_bytes: int
    state_bytes: int
    wal_bytes: int


@dataclass(frozen=True, slots=True)
class Point:
    """A sample, with its cost over the pages that led to it."""

    pages: int
    pages_per_second: float
    cpu_per_1000: float
    """CPU seconds for 1,000 pages."""
    kernels_per_1000: float
    """The same in times of the fixed work beside it: what a drifting machine leaves comparable."""
    resident_mb: float
    state_mb: float
    wal_mb: float
    bytes_a_known_url: float


def points(samples: Sequence[Sample], span: int = _SPAN) -> list[Point]:
    """One a sample that has `span` pages before it."""
    made: list[Point] = []
    for at, sample in enumerate(samples):
        before = [other for other in samples[:at] if sample.pages - other.pages >= span]
        if before:
            window = samples[len(before) - 1 : at + 1]
            made.append(_point(window))
    return made


def _point(window: Sequence[Sample]) -> Point:
    first, last = window[0], window[-1]
    thousands = (last.pages - first.pages) / 1_000
    cpu = (last.cpu - first.cpu) / thousands
    kernel = sum(sample.kernel for sample in window) / len(window)
    return Point(
        pages=last.pages,
        pages_per_second=round(thousands * 1_000 / (last.seconds - first.seconds), 1),
        cpu_per_1000=round(cpu, 3),
        kernels_per_1000=round(cpu / kernel, 1),
        resident_mb=round(last.resident_bytes / 1e6, 1),
        state_mb=round(last.state_bytes / 1e6, 1),
        wal_mb=round(last.wal_bytes / 1e6, 1),
        bytes_a_known_url=round(last.state_bytes / last.known, 1),
    )


def growth(made: Sequence[Point]) -> dict[str, float]:
    """What the last point is of the first, by figure."""
    first, last = made[0], made[-1]
    return {
        "cpu": round(last.kernels_per_1000 / first.kernels_per_1000, 3),
        "memory": round(last.resident_mb / first.resident_mb, 3),
    }
