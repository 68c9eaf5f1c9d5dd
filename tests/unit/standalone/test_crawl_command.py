import asyncio
import os
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from nephila_standalone.crawl_command import crawl
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import CrawlDirectory, DirectoryPaths
from nephila_standalone.errors import CannotWrite, DirectoryInUse, NothingFetched, OtherCrawl
from nephila_standalone.exit_codes import ExitCode
from nephila_standalone.plan_options import CrawlOptions, understand
from nephila_standalone.progress import CrawlState, FinishReason, Progress

DONE = Progress(state=CrawlState.DONE, elapsed=1.0, pages=3, finish=FinishReason.NOTHING_LEFT)


class Pipeline:
    """In place of the real one: ends at once as it is told to, and remembers its plan."""

    def __init__(self, last: Progress = DONE, error: Exception | None = None) -> None:
        self.last = last
        self.error = error
        self.plan: CrawlPlan | None = None

    async def __call__(
        self,
        plan: CrawlPlan,
        directory: CrawlDirectory,
        *,
        on_progress: Callable[[Progress], None],
        stop: asyncio.Event,
    ) -> Progress:
        self.plan = plan
        on_progress(Progress())
        if self.error:
            raise self.error
        return self.last


class UntilStopped(Pipeline):
    """Interrupts its own process, as Ctrl-C would, and drains."""

    async def __call__(
        self,
        plan: CrawlPlan,
        directory: CrawlDirectory,
        *,
        on_progress: Callable[[Progress], None],
        stop: asyncio.Event,
    ) -> Progress:
        os.kill(os.getpid(), signal.SIGINT)
        await stop.wait()
        return replace(self.last, finish=FinishReason.STOPPED)


def run(pipeline: Pipeline, into: Path, *urls: str, **options: str) -> ExitCode:
    request = understand(CrawlOptions(urls=urls, into=str(into), **options))  # type: ignore[arg-type]
    return crawl(request, pipeline, as_json=False)


def test_a_crawl_that_ends_is_done(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipeline = Pipeline()
    assert run(pipeline, tmp_path / "d", "a.org") == ExitCode.DONE
    assert pipeline.plan == CrawlPlan(seeds=("https://a.org/",), into=tmp_path / "d")
    assert "Done: nothing is left." in capsys.readouterr().out


def test_the_same_command_and_the_bare_one_go_on(tmp_path: Path) -> None:
    first, same, bare = Pipeline(), Pipeline(), Pipeline()
    run(first, tmp_path / "d", "a.org", pages="9")
    run(same, tmp_path / "d", "a.org", pages="9")
    run(bare, tmp_path / "d")
    assert first.plan == same.plan == bare.plan


def test_one_interrupt_drains_and_says_how_to_go_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(UntilStopped(), tmp_path / "d", "a.org") == ExitCode.DONE
    out = capsys.readouterr().out
    assert "draining" in out
    assert "nephila crawl --into" in out


def test_a_wrong_command_touches_nothing(tmp_path: Path) -> None:
    run(Pipeline(), tmp_path / "d", "a.org", scope="host")
    before = (tmp_path / "d" / "crawl.json").read_bytes()
    with pytest.raises(OtherCrawl):
        run(Pipeline(), tmp_path / "d", "b.org", scope="any")
    assert (tmp_path / "d" / "crawl.json").read_bytes() == before


def test_a_directory_in_use_stays_as_it_is(tmp_path: Path) -> None:
    with CrawlDirectory.open(tmp_path / "d"), pytest.raises(DirectoryInUse):
        run(Pipeline(), tmp_path / "d", "a.org")
    assert DirectoryPaths(tmp_path / "d").stored_plan() is None


def test_a_disk_that_fills_up_ends_the_run_and_frees_the_directory(tmp_path: Path) -> None:
    with pytest.raises(CannotWrite, match="is full"):
        run(Pipeline(error=OSError(28, "No space left on device")), tmp_path / "d", "a.org")
    assert run(Pipeline(), tmp_path / "d") == ExitCode.DONE


def test_a_crawl_without_a_page_is_a_fault(tmp_path: Path) -> None:
    last = replace(DONE, pages=0, failed={"CONNECTION_REFUSED": 1})
    with pytest.raises(NothingFetched, match=r"connection refused.*check the port"):
        run(Pipeline(last), tmp_path / "d", "http://127.0.0.1:8/")


def test_bad_seed_lines_are_told_and_the_rest_is_crawled(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "seeds").write_text("a.org\nftp://b.org\n")
    pipeline = Pipeline()
    assert run(pipeline, tmp_path / "d", seeds=str(tmp_path / "seeds")) == ExitCode.DONE
    assert pipeline.plan is not None
    assert pipeline.plan.seeds == ("https://a.org/",)
    assert "line 2" in capsys.readouterr().err


def test_a_crawl_whose_hosts_do_not_answer_now_says_so(tmp_path: Path) -> None:
    last = replace(DONE, pages=0, failed={}, refused={}, finish=FinishReason.HOSTS_AWAY)
    with pytest.raises(NothingFetched, match=r"do not answer now: the same command goes on later"):
        run(Pipeline(last), tmp_path / "d", "http://127.0.0.1:8/")
