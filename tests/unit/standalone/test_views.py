import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import DirectoryPaths
from nephila_standalone.live_view import LiveView
from nephila_standalone.numbers_shown import bytes_shown, duration_shown, shortened, sparkline
from nephila_standalone.plain_view import waiting_shown
from nephila_standalone.progress import CrawlState, FinishReason, Progress, Waiting, WaitReason
from nephila_standalone.summary import nothing_fetched, summary_lines
from nephila_standalone.views import ViewWhileRead, view_for
from rich.console import Console

PLAN = CrawlPlan(seeds=("https://docs.example.org/guide/", "https://b.org/"), into=Path("d"))
PATHS = DirectoryPaths(Path("crawls/docs.example.org"))


def drawn(progress: Progress, width: int, height: int) -> list[str]:
    """The block as it stands on a screen, without its styles."""
    output = io.StringIO()
    console = Console(file=output, force_terminal=True, width=width, height=height, no_color=True)
    view = LiveView(PLAN, console)
    output.truncate(0)
    view.show(progress)
    text = output.getvalue()
    view.close()
    plain = Console(file=io.StringIO(), width=width)
    return [line.rstrip() for line in plain.render_str(_without_escapes(text)).plain.split("\n")]


def _without_escapes(text: str) -> str:
    import re

    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r|\x00", "", text).replace("[", r"\[")


@pytest.mark.parametrize("width", [40, 60, 80, 200])
@pytest.mark.parametrize("height", [6, 12, 24, 50])
def test_the_live_view_fits_the_terminal(
    progress_feed: Callable[[int], Iterator[Progress]], width: int, height: int
) -> None:
    for progress in progress_feed(12):
        lines = drawn(progress, width, height)
        assert all(len(line) <= width - 2 for line in lines)
        assert len(lines) <= height


def test_the_live_view_shows_what_counts(
    progress_feed: Callable[[int], Iterator[Progress]],
) -> None:
    progress = list(progress_feed(40))[-2]
    text = "\n".join(drawn(progress, 80, 40))
    assert "pages/s" in text
    assert f"{progress.pages:,}" in text
    assert f"{progress.queued:,}" in text
    assert "gone" in text
    assert "duplicates" in text
    assert "docs.example.org" in text
    assert "waiting" in text
    assert "crawl delay" in text


def test_a_wait_too_short_to_show_has_no_number() -> None:
    wait = Waiting("a.org", 0.04, WaitReason.CRAWL_DELAY)
    assert waiting_shown(wait) == "waiting for a.org: crawl delay"
    assert waiting_shown(replace(wait, seconds=0.2)) == "waiting 0.2 s for a.org: crawl delay"


def test_plain_lines_come_each_five_seconds_and_at_each_change(
    progress_feed: Callable[[int], Iterator[Progress]],
) -> None:
    output = io.StringIO()
    view = view_for(PLAN, output, as_json=False)
    for progress in progress_feed(60):
        view.show(progress)
    view.close()
    lines = output.getvalue().splitlines()
    # Starting, crawling, one each five seconds of thirty, done.
    assert 7 <= len(lines) <= 9
    assert "starting" in lines[0]
    assert "crawling" in lines[1]
    assert "waiting" in lines[1]


def test_json_lines_carry_every_field(progress_feed: Callable[[int], Iterator[Progress]]) -> None:
    output = io.StringIO()
    view = view_for(PLAN, output, as_json=True)
    snapshots = list(progress_feed(10))
    for progress in snapshots:
        view.show(progress)
    view.finish(snapshots[-1], PATHS)
    events = [json.loads(line) for line in output.getvalue().splitlines()]
    assert {event["event"] for event in events[:-1]} == {"progress"}
    summary = events[-1]
    assert summary["event"] == "summary"
    assert summary["finish"] == FinishReason.NOTHING_LEFT
    assert summary["failed"] == dict(snapshots[-1].failed)
    assert summary["warc"] == "crawls/docs.example.org/warc"


def test_a_summary_says_what_was_done_where_it_lies_and_what_next(
    progress_feed: Callable[[int], Iterator[Progress]],
) -> None:
    last = list(progress_feed(30))[-1]
    text = "\n".join(summary_lines(last, PATHS))
    assert "Done: nothing is left." in text
    assert f"{last.pages:,} pages" in text
    assert "crawls/docs.example.org/page_fetched.ndjson" in text
    assert "nephila explain URL --in crawls/docs.example.org" in text
    narrow = summary_lines(last, PATHS, width=60)
    assert (
        max(len(line) for line in narrow if "failed" not in line and "left out" not in line) <= 60
    )


def test_a_spent_budget_says_how_to_go_on() -> None:
    last = Progress(state=CrawlState.DONE, pages=10, finish=FinishReason.PAGE_BUDGET)
    spaced = DirectoryPaths(Path("my crawl"))
    text = "\n".join(summary_lines(last, spaced))
    assert "nephila crawl --into 'my crawl' --pages none" in text


def test_nothing_fetched_names_the_reason_and_its_mend() -> None:
    fault = nothing_fetched(Progress(failed={"NO_SUCH_HOST": 1}), ("https://nowhere.invalid/",), {})
    assert fault.lines() == [
        "nephila: nothing could be fetched from https://nowhere.invalid/ (no such host): "
        "No host has that name: check the spelling, or the name server given with --dns"
    ]
    many = nothing_fetched(Progress(refused={"EXCLUDED": 2}), ("https://a/", "https://b/"), {})
    assert "2 seeds (excluded)" in many.lines()[0]


def test_a_seed_that_leads_out_of_the_scope_names_where_to() -> None:
    refused = Progress(refused={"OUT_OF_SCOPE": 1})
    seed, target = "https://example.org/", "https://www.example.org/"
    assert nothing_fetched(refused, (seed,), {seed: target}).lines() == [
        f"nephila: nothing could be fetched from {seed} (redirected): It leads to {target}, which is "
        "outside the crawl's scope: name that URL in its place, or start anew with a wider --scope "
        "and another --into"
    ]


def test_commands_are_shown_as_they_can_be_typed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    last = Progress(state=CrawlState.DONE, finish=FinishReason.STOPPED)
    monkeypatch.setattr("sys.argv", [".venv/bin/nephila", "crawl"])
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "  .venv/bin/nephila crawl --into crawls/" in "\n".join(summary_lines(last, PATHS))
    on_the_path = tmp_path / "nephila"
    on_the_path.touch(0o755)
    monkeypatch.setattr("sys.argv", [str(on_the_path), "crawl"])
    assert "  nephila crawl --into crawls/" in "\n".join(summary_lines(last, PATHS))


def test_draining_is_told_at_once(progress_feed: Callable[[int], Iterator[Progress]]) -> None:
    output = io.StringIO()
    view = ViewWhileRead(view_for(PLAN, output, as_json=False))
    view.show(list(progress_feed(5))[-2])
    view.show_draining()
    assert "draining, up to 40 s (the same command goes on)" in output.getvalue()


def test_hostile_host_names_steer_no_terminal(
    progress_feed: Callable[[int], Iterator[Progress]],
) -> None:
    progress = list(progress_feed(5))[-2]
    evil = replace(progress.waiting[0], host="evil\x1b]0;x\x07\n‮.org")
    progress = replace(progress, waiting=(evil,), paused_by="")
    for text in ("\n".join(drawn(progress, 80, 40)), _plain_text(progress)):
        assert "\x1b]" not in text
        assert "\x07" not in text
        assert "\u202e" not in text


def _plain_text(progress: Progress) -> str:
    output = io.StringIO()
    view_for(PLAN, output, as_json=False).show(progress)
    return output.getvalue()


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.0 kB"),
        (999_949, "999.9 kB"),
        (999_950, "1.0 MB"),
        (10**12, "1.0 TB"),
        (10**16, "10000.0 TB"),
    ],
)
def test_bytes_are_shown_in_three_digits(number: int, shown: str) -> None:
    assert bytes_shown(number) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (-1, "0.0 s"),
        (0.66, "0.7 s"),
        (9.96, "10 s"),
        (59.7, "1 min 00 s"),
        (3725, "1 h 02 min"),
        (90000, "1 d 01 h"),
    ],
)
def test_durations_are_shown_in_two_units(seconds: float, shown: str) -> None:
    assert duration_shown(seconds) == shown


def test_a_sparkline_fits_and_its_highest_bar_is_full() -> None:
    assert sparkline([0, 1, 2, 4], 3) == "▂▄█"
    assert sparkline([], 5) == ""
    assert sparkline([0, 0], 5) == "▁▁"
    assert len(shortened("x" * 50, 10)) == 10
