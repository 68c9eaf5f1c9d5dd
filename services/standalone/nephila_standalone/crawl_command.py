"""`nephila crawl`: from a command line that was understood to an exit code."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable

from nephila_runtime import event_loop

from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import CrawlDirectory, DirectoryPaths
from nephila_standalone.errors import writing
from nephila_standalone.exit_codes import ExitCode
from nephila_standalone.plan_options import PlanRequest
from nephila_standalone.progress import FinishReason, Progress, RunCrawl
from nephila_standalone.seed_redirects import sent_on
from nephila_standalone.seeds import warnings
from nephila_standalone.summary import nothing_fetched
from nephila_standalone.views import ViewWhileRead, view_for

_NO_CONTACT = (
    "nephila: no --contact: the owners of the sites cannot write to you: "
    "add --contact ADDRESS, a page or a mail address"
)


def crawl(request: PlanRequest, run_crawl: RunCrawl, *, as_json: bool) -> ExitCode:
    """Crawls until nothing is left, a budget is spent or somebody stops it.

    Raises CrawlError for every fault that a person can put right, before DIR is touched where that
    can be.
    """
    for line in warnings(request.left_out):
        print(line, file=sys.stderr)
    # Once without the lock, so that a wrong command leaves no trace, and once under it.
    request.onto(DirectoryPaths(request.into).stored_plan())
    with CrawlDirectory.open(request.into) as directory:
        plan = request.onto(directory.stored_plan())
        directory.keep(plan)
        if not plan.contact and not plan.allow_networks and sys.stderr.isatty():
            print(_NO_CONTACT, file=sys.stderr)
        view = ViewWhileRead(view_for(plan, sys.stdout, as_json=as_json))
        try:
            with writing(directory.path):
                last = event_loop.run(_run(plan, directory, view, run_crawl))
            view.finish(last, directory)
        finally:
            view.close()
    if last.pages == 0 and last.finish in (FinishReason.NOTHING_LEFT, FinishReason.HOSTS_AWAY):
        raise nothing_fetched(last, plan.seeds, sent_on(DirectoryPaths(plan.into), plan.seeds))
    return ExitCode.DONE


async def _run(
    plan: CrawlPlan, directory: CrawlDirectory, view: ViewWhileRead, run_crawl: RunCrawl
) -> Progress:
    stop = asyncio.Event()

    def first() -> None:
        stop.set()
        view.show_draining()

    def second() -> None:
        view.close()
        print("nephila: stopped at once: the same command goes on", file=sys.stderr, flush=True)
        # As after kill -9: what was committed is kept, child processes die with their parent.
        os._exit(ExitCode.INTERRUPTED)

    def show(progress: Progress) -> None:
        view.show(progress)
        if view.gone:
            stop.set()

    _on_interrupts(first, second)
    return await run_crawl(plan, directory, on_progress=show, stop=stop)


def _on_interrupts(first: Callable[[], None], second: Callable[[], None]) -> None:
    """Ctrl-C, or SIGTERM from an init system: in order the first time, at once the second."""
    loop = asyncio.get_running_loop()
    handlers = [second, first]

    def interrupted() -> None:
        handlers.pop()() if handlers else None

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, interrupted)
