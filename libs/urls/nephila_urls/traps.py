"""Shapes of URLs that a site makes without end: deep paths, repeated segments, calendars, facets.

Each rule is a threshold far above what pages of their own have; what it refuses is counted and shown,
and a setting moves it.
"""

import re
from dataclasses import dataclass

from nephila_urls.canonical import CanonicalUrl
from nephila_urls.parts import path_of
from nephila_urls.refusal import Refusal

# A name of a calendar, as a path segment's or a parameter's own word.
_CALENDAR = re.compile(
    r"(?:^|[/?&_.-])(?:calendars?|kalender|calendrier|calendario|agenda|events?|ical|schedule"
    r"|tribe-bar-date|month|year|week|day|date)(?=[/?&=_.-]|$)",
    re.IGNORECASE,
).search
_YEAR = re.compile(r"(?<![0-9A-Za-z%])([0-9]{4})(?:[01][0-9](?:[0-3][0-9])?)?(?![0-9A-Za-z])")
# Longest run of segments whose repetition is looked for: "/a/b/c/d/a/b/c/d/…".
_LONGEST_RUN = 4


@dataclass(frozen=True)
class TrapRules:
    """Thresholds. `this_year` is passed in, and moves the calendar's window.

    A path has at most `max_segments` segments. A segment that is no number comes at most
    `max_occurrences` times in a path, and a run of up to four segments at most `max_repetitions` times
    in a row. A URL that looks like a calendar's lies between `years_back` and `years_ahead` of this
    year. A query has at most `max_parameters` parameters.
    """

    this_year: int
    max_segments: int = 20
    # Heritrix refuses the third repetition too (PathologicalPathDecideRule, maxRepetitions 2).
    max_repetitions: int = 2
    max_occurrences: int = 4
    years_back: int = 30
    years_ahead: int = 2
    max_parameters: int = 10

    def judge(self, url: CanonicalUrl) -> Refusal | None:
        """The trap that the URL looks like, or None."""
        path, _, query = path_of(url).partition("?")
        refusal = self.judge_path(path)
        if refusal is not None:
            return refusal
        if query.count("&") >= self.max_parameters:
            return Refusal.TRAP_FACETS
        if self._is_calendar(path, query):
            return Refusal.TRAP_CALENDAR
        return None

    def judge_path(self, path: str) -> Refusal | None:
        """The rules that also hold for sitemaps, whose names may well carry old years."""
        segments = path.split("/")[1:]
        if len(segments) > self.max_segments:
            return Refusal.TRAP_DEEP_PATH
        if len(set(segments)) < len(segments) and self._repeats(segments):
            return Refusal.TRAP_REPEATED_SEGMENTS
        return None

    def _repeats(self, segments: list[str]) -> bool:
        # Numbers and empty segments repeat in honest paths: tiles, versions, dates, "//".
        words = [segment for segment in segments if segment and not segment.isdigit()]
        if any(words.count(word) > self.max_occurrences for word in set(words)):
            return True
        times = self.max_repetitions + 1
        for length in range(1, _LONGEST_RUN + 1):
            for start in range(len(segments) - length * times + 1):
                run = segments[start : start + length]
                if (
                    segments[start : start + length * times] == run * times
                    and not "".join(run).isdigit()
                    and any(run)
                ):
                    return True
        return False

    def _is_calendar(self, path: str, query: str) -> bool:
        text = f"{path}?{query}"
        first, last = self.this_year - self.years_back, self.this_year + self.years_ahead
        years = [int(year) for year in _YEAR.findall(text)]
        if not any(1000 <= year < 3000 and not first <= year <= last for year in years):
            return False
        return _CALENDAR(text) is not None
