"""Retry-After (RFC 9110 10.2.3): seconds, or a date in one of HTTP's three forms."""

import re
from datetime import UTC, datetime, timedelta

_SECONDS = re.compile(r"[0-9]+")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_CLOCK = r"(?P<hour>\d{2}):(?P<minute>\d{2}):(?P<second>\d{2})"
_DATES = tuple(
    re.compile(form, re.ASCII | re.IGNORECASE)
    for form in (
        # Sun, 06 Nov 1994 08:49:37 GMT
        rf"[a-z]{{3}}, (?P<day>\d{{1,2}}) (?P<month>[a-z]{{3}}) (?P<year>\d{{4}}) {_CLOCK} (GMT|UTC)",
        # Sunday, 06-Nov-94 08:49:37 GMT
        rf"[a-z]{{6,9}}, (?P<day>\d{{2}})-(?P<month>[a-z]{{3}})-(?P<year>\d{{2}}) {_CLOCK} (GMT|UTC)",
        # Sun Nov  6 08:49:37 1994
        rf"[a-z]{{3}} (?P<month>[a-z]{{3}}) (?P<day>[ \d]\d) {_CLOCK} (?P<year>\d{{4}})",
    )
)


def parse_http_date(text: str) -> datetime | None:
    """The instant, in UTC; None when `text` is no HTTP date."""
    for form in _DATES:
        found = form.fullmatch(text)
        if found is not None:
            break
    else:
        return None
    month, year = found["month"].lower(), int(found["year"])
    if month not in _MONTHS:
        return None
    if year < 100:
        # RFC 9110 5.6.7 asks for the nearest century; no server's date lies before 1970.
        year += 2000 if year < 70 else 1900
    day, hour, minute, second = (int(found[part]) for part in ("day", "hour", "minute", "second"))
    if second > 60:  # 60 is a leap second.
        return None
    try:
        whole = datetime(year, _MONTHS.index(month) + 1, day, hour, minute, tzinfo=UTC)
        return whole + timedelta(seconds=second)
    except (ValueError, OverflowError):
        return None


def retry_after(value: str, *, date: str, wall_ms: int, at_most: timedelta) -> timedelta | None:
    """How long the server asks to be left alone: 0 for a past date, None for what is no wait.

    A date counts from the answer's own `Date` field, so that two machines' clocks are not compared;
    from `wall_ms` where that is missing. Negative and fractional seconds are no wait.
    """
    value = value.strip(" \t")
    if _SECONDS.fullmatch(value):
        # Longer numbers than this are beyond any limit, and int() refuses 4,300 digits.
        return min(timedelta(seconds=int(value[:12])), at_most)
    until = parse_http_date(value)
    if until is None:
        return None
    since = parse_http_date(date.strip(" \t"))
    if since is None:
        since = datetime.fromtimestamp(wall_ms / 1000, UTC)
    return min(max(until - since, timedelta()), at_most)
