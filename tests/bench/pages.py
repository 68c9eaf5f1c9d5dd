"""Pages to measure with: the markup of real saved pages where it is at hand, else of the synthetic kind.

The markup lies in the bench folder beside the checkout (`BENCH_TEMPLATES` names another file);
its texts and links are filled in here from a seed.
"""

import gzip
import json
import os
import random
from dataclasses import dataclass
from pathlib import Path

_BESIDE_CHECKOUT = (
    Path(__file__).resolve().parents[3] / "shared" / "bench" / "corpus" / "templates.json.gz"
)
_PROSE = (
    "the of and web that spider site with page from were this they which crawl about river "
    "market season report minister village weather travel science music council history "
    "Größe élève 東京 question answer"
)
_WORDS = _PROSE.split()
# A literal "L", a link's place "A", or a text of so many characters "T".
Segment = tuple[str, str | int]


@dataclass(frozen=True)
class Page:
    """One page as it is and as it was served."""

    url: str
    html: bytes
    packed: bytes
    hrefs: tuple[str, ...]


def pages(count: int, seed: int = 5) -> list[Page]:
    """The same pages for the same count and seed."""
    chance = random.Random(seed)
    templates = _templates()
    return [_page(number, chance.choice(templates), chance) for number in range(count)]


def _templates() -> list[list[Segment]]:
    path = Path(os.environ.get("BENCH_TEMPLATES", _BESIDE_CHECKOUT))
    if path.exists():
        with gzip.open(path) as file:
            return [template["segs"] for template in json.load(file)["templates"]]
    return [_synthetic()]


def _synthetic() -> list[Segment]:
    """150 links and 19 KB of text in 79 KB of markup, as the saved pages have on average."""
    segments: list[Segment] = [("L", "<!DOCTYPE html><html><head><title>"), ("T", 40)]
    segments.append(("L", "</title></head><body>"))
    for number in range(150):
        filler = (
            f'<div class="card card-{number} wide" data-id="{number}" style="{"margin:0;" * 40}">'
        )
        segments += [("L", f'{filler}<a class="link" href="'), ("A", number), ("L", '">')]
        segments += [("T", 24), ("L", "</a><p>"), ("T", 100), ("L", "</p></div>")]
    segments.append(("L", "</body></html>"))
    return segments


def _page(number: int, segments: list[Segment], chance: random.Random) -> Page:
    parts: list[str] = []
    hrefs: list[str] = []
    for kind, value in segments:
        if kind == "A":
            hrefs.append(_href(chance))
            parts.append(hrefs[-1])
        elif kind == "T":
            parts.append(_text(int(value), chance))
        else:
            parts.append(str(value))
    html = "".join(parts).encode()
    url = f"http://h{number % 20}.bench.test/section-{number % 7}/article-{number}.html"
    return Page(url, html, gzip.compress(html, 6, mtime=0), tuple(hrefs))


def _href(chance: random.Random) -> str:
    """Relative, absolute, other hosts, fragments: about as mixed as on the saved pages."""
    number = chance.randrange(50)
    path = f"/section-{number % 7}/article-{number}.html"
    kind = chance.random()
    if kind < 0.25:
        return f"http://h{number % 20}.bench.test{path}"
    if kind < 0.3:
        return f"//h{number % 20}.bench.test{path}"
    return f"{path}#part-{number}" if kind < 0.4 else path


def _text(size: int, chance: random.Random) -> str:
    words: list[str] = []
    while size > 0:
        words.append(chance.choice(_WORDS))
        size -= len(words[-1]) + 1
    return " ".join(words)
