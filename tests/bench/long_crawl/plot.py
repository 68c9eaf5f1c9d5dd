"""The plot of a long crawl, as SVG by hand: a panel a figure, all over pages."""

from collections.abc import Callable, Sequence

from samples import Point

_WIDTH, _HEIGHT = 900, 190
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 30, 30
_PANELS: tuple[tuple[str, Callable[[Point], float]], ...] = (
    ("CPU time of 1,000 pages, in times of the fixed work beside it", lambda p: p.kernels_per_1000),
    ("CPU seconds of 1,000 pages", lambda p: p.cpu_per_1000),
    ("resident memory, MB", lambda p: p.resident_mb),
    ("state.sqlite, bytes a known URL", lambda p: p.bytes_a_known_url),
    ("write-ahead log, MB", lambda p: p.wal_mb),
    ("pages a second", lambda p: p.pages_per_second),
)


def svg(points: Sequence[Point]) -> str:
    """Every panel starts at zero, so that its slope is honest."""
    height = _HEIGHT * len(_PANELS)
    panels = [
        _panel(number * _HEIGHT, title, [(point.pages, read(point)) for point in points])
        for number, (title, read) in enumerate(_PANELS)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}"'
        ' font-family="sans-serif" font-size="12">'
        f'<rect width="{_WIDTH}" height="{height}" fill="white"/>{"".join(panels)}</svg>\n'
    )


def _panel(top: int, title: str, figures: Sequence[tuple[int, float]]) -> str:
    most_pages = max(pages for pages, _ in figures)
    most = max(max(figure for _, figure in figures) * 1.1, 1e-9)
    right, floor, ceiling = _WIDTH - _RIGHT, top + _HEIGHT - _BOTTOM, top + _TOP

    def place(pages: float, figure: float) -> str:
        x = _LEFT + pages / most_pages * (right - _LEFT)
        return f"{x:.1f},{floor - figure / most * (floor - ceiling):.1f}"

    line = " ".join(place(pages, figure) for pages, figure in figures)
    marks = [
        f'<text x="{_LEFT - 8}" y="{floor - share * (floor - ceiling) + 4:.0f}"'
        f' text-anchor="end">{share * most:.4g}</text>'
        for share in (0, 0.5, 1)
    ]
    return (
        f'<text x="{_LEFT}" y="{ceiling - 10}" font-weight="bold">{title}</text>'
        f'<path d="M{_LEFT} {ceiling}V{floor}H{right}" fill="none" stroke="#888"/>{"".join(marks)}'
        f'<text x="{right}" y="{floor + 16}" text-anchor="end">{most_pages:,} pages</text>'
        f'<polyline points="{line}" fill="none" stroke="#06c" stroke-width="1.5"/>'
    )
