"""How a running crawl is shown: the port, and which view fits the output."""

import os
import sys
from dataclasses import replace
from typing import Protocol, TextIO

from rich.console import Console

from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import DirectoryPaths
from nephila_standalone.json_view import JsonView
from nephila_standalone.live_view import LiveView
from nephila_standalone.plain_view import PlainView
from nephila_standalone.progress import CrawlState, Progress


class View(Protocol):
    """Where `Progress` goes. Each snapshot may be shown or passed over, as the view sees fit."""

    def show(self, progress: Progress) -> None: ...

    def finish(self, progress: Progress, paths: DirectoryPaths) -> None:
        """The summary. Nothing is shown after it."""
        ...

    def close(self) -> None:
        """Gives the terminal back, without a summary when `finish` was not called."""
        ...


def view_for(plan: CrawlPlan, output: TextIO, *, as_json: bool) -> View:
    """JSON lines where asked for, a live view on a terminal, plain lines in a pipe."""
    if as_json:
        return JsonView(output)
    console = Console(file=output)
    if console.is_terminal and not console.is_dumb_terminal:
        return LiveView(plan, console)
    return PlainView(output)


class ViewWhileRead:
    """A view whose reader may go away (`nephila crawl … | head`): `gone` is then true, and it is silent."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._last = Progress()
        self.gone = False

    def show(self, progress: Progress) -> None:
        self._last = progress
        if not self.gone:
            try:
                self._view.show(progress)
            except BrokenPipeError:
                self._leave()

    def show_draining(self) -> None:
        """Says at once that a stop was understood, before the pipeline tells its next snapshot."""
        self.show(replace(self._last, state=CrawlState.DRAINING))

    def finish(self, progress: Progress, paths: DirectoryPaths) -> None:
        if not self.gone:
            try:
                self._view.finish(progress, paths)
            except BrokenPipeError:
                self._leave()

    def close(self) -> None:
        if not self.gone:
            try:
                self._view.close()
            except BrokenPipeError:
                self._leave()

    def _leave(self) -> None:
        self.gone = True
        # Python flushes stdout once more at exit, which would complain.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
