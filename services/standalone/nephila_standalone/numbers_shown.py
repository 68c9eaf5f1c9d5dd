"""Numbers as people read them: bytes, durations, rates, and a sparkline."""

from collections.abc import Sequence

_BARS = "▁▂▃▄▅▆▇█"
_UNITS = ("kB", "MB", "GB", "TB")


def bytes_shown(number: int) -> str:
    """ "999 B", "1.2 MB": decimal units, as --bytes reads them."""
    if number < 1000:
        return f"{number} B"
    value, unit = number / 1000, 0
    while value >= 999.95 and unit < len(_UNITS) - 1:
        value, unit = value / 1000, unit + 1
    return f"{value:.1f} {_UNITS[unit]}"


def duration_shown(seconds: float) -> str:
    """ "0.7 s", "42 s", "3 min 05 s", "2 h 04 min", "3 d 02 h"."""
    if seconds < 9.95:
        return f"{max(0.0, seconds):.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86400} d {whole % 86400 // 3600:02} h"


def rate_shown(per_second: float) -> str:
    """ "0.5", "12.3", "1,234" pages a second."""
    return f"{per_second:,.1f}" if per_second < 99.95 else f"{per_second:,.0f}"


def count_shown(number: int, one: str, many: str = "") -> str:
    """ "1 page", "1,204 pages"."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def sparkline(values: Sequence[float], width: int) -> str:
    """The last `width` values as bars, the highest one filling its cell."""
    shown = values[-width:]
    top = max(shown, default=0.0)
    if top <= 0:
        return _BARS[0] * len(shown)
    return "".join(_BARS[min(7, int(value / top * 7.999))] for value in shown)


def shortened(text: str, width: int) -> str:
    """The text, its middle left out when it is longer than `width`: ends of host names tell most."""
    if len(text) <= width:
        return text
    head = max(0, (width - 1) // 3)
    return f"{text[:head]}…{text[len(text) - (width - 1 - head) :]}"
