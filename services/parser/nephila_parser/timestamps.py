"""Dates of sitemaps and feeds as milliseconds since 1970."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_W3C_MONTHS = (("%Y-%m", 7), ("%Y", 4))


def w3c_ms(text: str) -> int:
    """A W3C date (https://www.w3.org/TR/NOTE-datetime), down to a mere year; 0 when it is none."""
    text = text.strip()
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = _year_or_month(text)
    return _ms(moment)


def rfc_822_ms(text: str) -> int:
    """The date of an RSS item; 0 when it is none. W3C dates are taken too, as many feeds have them."""
    try:
        return _ms(parsedate_to_datetime(text.strip()))
    except (ValueError, TypeError, IndexError, OverflowError):
        return w3c_ms(text)


def _year_or_month(text: str) -> datetime | None:
    for pattern, length in _W3C_MONTHS:
        if len(text) == length:
            try:
                return datetime.strptime(text, pattern).replace(tzinfo=UTC)
            except ValueError:
                return None
    return None


def _ms(moment: datetime | None) -> int:
    if moment is None:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return max(0, int(moment.timestamp() * 1000))
    except (OverflowError, ValueError):
        return 0
