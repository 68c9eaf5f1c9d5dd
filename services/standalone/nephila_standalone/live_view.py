"""Progress on a terminal: one calm block, drawn in place."""

from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import replace

from rich import box
from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import DirectoryPaths
from nephila_standalone.errors import printable
from nephila_standalone.numbers_shown import (
    bytes_shown,
    duration_shown,
    rate_shown,
    shortened,
    sparkline,
)
from nephila_standalone.pace import Pace
from nephila_standalone.plain_view import state_shown, waiting_shown
from nephila_standalone.progress import CrawlState, HostActivity, Progress, Waiting
from nephila_standalone.summary import reasons_shown, summary_lines

# A drawing costs 3 ms.
_DRAW_SECONDS = 0.25
_SPARK_SECONDS = 1.0
_SPARK_MOST = 120
_WIDEST = 100
_HOSTS = 5
_WAITS = 3
# Lines of the block beside hosts and waits.
_FRAME_LINES = 14
_SHORTEST_URL = 16
_WAITED_FOR = "waited for (to be polite is mostly to wait)"

_STATE_STYLES = {
    CrawlState.STARTING: "cyan",
    CrawlState.CRAWLING: "green",
    CrawlState.DRAINING: "yellow",
    CrawlState.PAUSED: "bold red",
    CrawlState.DONE: "green",
}
_HINTS = {
    CrawlState.CRAWLING: " · Ctrl-C stops it in order",
    CrawlState.DRAINING: " · Ctrl-C again stops at once",
}


class LiveView:
    """Redraws when it is shown a snapshot; draws nothing by itself, so it needs no thread."""

    def __init__(self, plan: CrawlPlan, console: Console) -> None:
        self._plan = plan
        self._console = console
        self._rates: deque[float] = deque(maxlen=_SPARK_MOST)
        self._rate_at = float("-inf")
        self._pace = Pace(_DRAW_SECONDS)
        self._live = Live(
            console=console, auto_refresh=False, transient=True, vertical_overflow="crop"
        )
        self._live.start()

    def show(self, progress: Progress) -> None:
        if not self._pace.is_due(progress):
            return
        if progress.elapsed - self._rate_at >= _SPARK_SECONDS:
            self._rate_at = progress.elapsed
            self._rates.append(progress.pages_per_second)
        block = CrawlBlock(self._plan, progress, tuple(self._rates))
        self._live.update(block, refresh=True)

    def finish(self, progress: Progress, paths: DirectoryPaths) -> None:
        self._live.stop()
        for number, line in enumerate(summary_lines(progress, paths, self._console.width)):
            style = "bold" if number == 0 or line == "Next:" else ""
            text = Text(printable(line), style=style)
            self._console.print(text, soft_wrap=True)

    def close(self) -> None:
        self._live.stop()


class CrawlBlock:
    """A snapshot as rich draws it, fitted to the width and height that there are."""

    def __init__(self, plan: CrawlPlan, progress: Progress, rates: tuple[float, ...]) -> None:
        self._plan = plan
        self._progress = progress
        self._rates = rates

    def __rich_console__(
        self, console: Console, options: ConsoleOptions
    ) -> Iterable[RenderableType]:
        # Two columns stay free for the ^C that the terminal itself writes after the block.
        width = max(24, min(options.max_width - 2, _WIDEST))
        inner = width - 4
        room = max(0, console.height - _FRAME_LINES)
        progress = self._progress
        waits = progress.waiting[: min(_WAITS, room)]
        hosts = progress.busiest[: min(_HOSTS, max(0, room - len(waits)))]
        parts: list[RenderableType] = [self._speed(inner), Text(), self._counts(inner)]
        if hosts:
            parts += [Text(), _hosts(hosts, inner)]
        if waits:
            heading = Text(_WAITED_FOR[:inner], style="dim")
            parts += [Text(), heading, _waits(waits, inner)]
        yield Panel(
            Group(*parts),
            title=self._title(width),
            title_align="left",
            subtitle=_subtitle(progress, width),
            subtitle_align="left",
            border_style="dim",
            box=box.ROUNDED,
            width=width,
        )

    def _title(self, width: int) -> Text:
        seeds = self._plan.seeds
        more = f" and {len(seeds) - 1:,} more" if len(seeds) > 1 else ""
        scope = f" · scope {self._plan.scope.value}"
        # A title wider than the block would widen it.
        room = width - len("nephila ") - 6
        if room - len(more) - len(scope) < _SHORTEST_URL:
            scope = ""
        if room - len(more) < _SHORTEST_URL:
            more = ""
        url = printable(seeds[0] if seeds else "")
        room -= len(more) + len(scope)
        if len(url) > room:
            url = url[: room - 1] + "…"
        title = Text("nephila ", style="bold not dim")
        return title.append(url + more, style="not bold not dim").append(
            scope, style="dim not bold"
        )

    def _speed(self, width: int) -> RenderableType:
        progress = self._progress
        rate = f"{rate_shown(progress.pages_per_second)} pages/s".ljust(14)
        right = f"{bytes_shown(progress.bytes)} · {duration_shown(progress.elapsed)}"
        bars = sparkline(self._rates, max(0, width - len(rate) - len(right) - 6))
        line = Table.grid(expand=True)
        line.add_column()
        line.add_column(ratio=1)
        line.add_column(justify="right")
        line.add_row(
            Text(rate, style="bold"),
            Text(f"  {bars}", style="green", no_wrap=True, overflow="crop"),
            Text(right, style="dim"),
        )
        return line

    def _counts(self, width: int) -> RenderableType:
        progress = self._progress
        of = f" of {self._plan.page_budget:,}" if self._plan.page_budget else ""
        before = f"{progress.pages_before:,} in earlier runs" if progress.pages_before else ""
        failed, refused = sum(progress.failed.values()), sum(progress.refused.values())
        under_way = f"{progress.leased:,} under way" if progress.leased else ""
        rows = [
            ("fetched", f"{progress.pages:,}", (of + "  " + before).rstrip(), ""),
            ("queued", f"{progress.queued:,}", under_way and f"  {under_way}", ""),
            ("duplicates", f"{progress.duplicates:,}", "", ""),
            ("failed", f"{failed:,}", _reasons(progress.failed), "red" if failed else ""),
            ("left out", f"{refused:,}", _reasons(progress.refused), ""),
        ]
        table = Table.grid()
        table.add_column(width=11, style="dim")
        table.add_column(width=9, justify="right")
        table.add_column(width=width - 20, no_wrap=True, overflow="ellipsis")
        for name, number, detail, style in rows:
            table.add_row(name, Text(number, style=style or "bold"), Text(detail, style="dim"))
        return table


def _reasons(counts: Mapping[str, int]) -> str:
    return f"  {reasons_shown(counts)}" if counts else ""


def _subtitle(progress: Progress, width: int) -> Text:
    words = printable(state_shown(progress))
    hint = _HINTS.get(progress.state, "")
    if len(words) + len(hint) <= width - 6:
        words += hint
    return Text(words[: max(0, width - 6)], style=_STATE_STYLES[progress.state])


def _hosts(hosts: tuple[HostActivity, ...], width: int) -> RenderableType:
    table = Table.grid()
    table.add_column(width=width - 20, no_wrap=True)
    table.add_column(width=10, justify="right")
    table.add_column(width=10, justify="right")
    dim = "dim"
    table.add_row(Text("busiest hosts", dim), Text("fetched", dim), Text("queued", dim))
    for host in hosts:
        name = shortened(printable(host.host), width - 21)
        table.add_row(Text(name), Text(f"{host.fetched:,}"), Text(f"{host.queued:,}"))
    return table


def _waits(waits: tuple[Waiting, ...], width: int) -> RenderableType:
    lines = Text(no_wrap=True, overflow="ellipsis")
    for number, waiting in enumerate(waits):
        words = len(waiting_shown(replace(waiting, host="")))
        host = shortened(printable(waiting.host), max(12, width - words))
        lines.append("\n" if number else "")
        lines.append(waiting_shown(replace(waiting, host=host)))
    return lines
