"""Where a crawl starts: URLs as a person types them, and seed files."""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from nephila_urls import UrlRefused, canonicalise, host_of

from nephila_standalone.errors import BadInput, printable

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?!\d+(?:[/?#]|$))")
# A seed file may be long and wrong from end to end (a spreadsheet, say): the first ones suffice.
_FAULTS_SHOWN = 20


def typed_url(text: str) -> str:
    """The canonical URL meant by `text`; a bare name such as example.org or localhost:8080 gets
    https://. Raises BadInput."""
    text = text.strip()
    whole = text if has_scheme(text) else f"https://{text}"
    try:
        url = canonicalise(whole)
    except UrlRefused as refused:
        raise _refused(text, refused.refusal.name) from None
    if "." not in host_of(url) and ":" not in host_of(url) and whole is not text:
        # `nephila crawl into` and the like: a word, not a web address.
        raise _refused(text, "NOT_A_URL")
    return url


def has_scheme(text: str) -> bool:
    """Whether a scheme was typed; "example.org:8080/x" begins like one, but a port follows the colon."""
    return bool(_SCHEME.match(text))


def _refused(text: str, refusal: str) -> BadInput:
    shown = text if len(text) <= 200 else text[:200] + "…"
    mends = {
        "SCHEME": "only http:// and https:// can be crawled",
        "USERINFO": "leave out the user name and password",
        "TOO_LONG": "2,000 characters are the most",
        "PORT": "browsers refuse that port, use another one",
    }
    return BadInput(
        f"{shown!r} is not a URL that can be crawled",
        mends.get(refusal, "write it like https://example.org/"),
    )


def seeds_from(urls: Sequence[str], file: str | None) -> tuple[list[str], list[BadInput]]:
    """Canonical seeds, distinct, in order, and the faults met.

    A fault in `urls` is meant to stop the command; one in the file leaves its line out, unless no
    line is good. Raises BadInput for a file that cannot be read.
    """
    seeds: dict[str, None] = {}
    faults: list[BadInput] = []
    for text in urls:
        try:
            seeds[typed_url(text)] = None
        except BadInput as fault:
            faults.append(fault)
    if faults:
        return [], faults
    if file is not None:
        for number, line in _lines(file):
            try:
                seeds[typed_url(line)] = None
            except BadInput as fault:
                faults.append(BadInput(f"{file}, line {number}: {fault.fault}", fault.mend))
    return list(seeds), faults


def warnings(faults: Sequence[BadInput]) -> Iterator[str]:
    """What is told of seed file lines that were left out, one line each, at most twenty-one."""
    for fault in faults[:_FAULTS_SHOWN]:
        yield printable(f"nephila: {fault.fault}: left out, {fault.mend}")
    if len(faults) > _FAULTS_SHOWN:
        yield f"nephila: {len(faults) - _FAULTS_SHOWN} more lines are left out"


def _lines(file: str) -> Iterator[tuple[int, str]]:
    try:
        # Bytes that are no UTF-8 make a bad line, not a traceback.
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8-sig", "replace")
    except OSError as error:
        fault = f"cannot read the seed file {file} ({error.strerror})"
        raise BadInput(fault, "name a text file with one URL a line") from None
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#"):
            yield number, stripped


def default_directory(seed: str) -> Path:
    """`crawls/<host>` of the first seed: letters, digits, dots and hyphens alone, so that no host
    name leads elsewhere."""
    name = re.sub(r"[^a-z0-9.-]", "_", host_of(canonicalise(seed))).strip("._-")
    return Path("crawls") / (name[:120] or "crawl")
