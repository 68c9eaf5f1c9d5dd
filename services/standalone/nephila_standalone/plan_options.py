"""From the options of `nephila crawl` to a `CrawlPlan`: every fault is told, not only the first."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from nephila_urls import ScopeKind

from nephila_standalone import option_values, seeds
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.errors import BadInput, BadInputs, OtherCrawl

# Below this the delay is for one's own servers only: other people's bear no more.
LEAST_PUBLIC_DELAY = timedelta(seconds=1)
# More parsers than this never helped one main process: it feeds them all.
MOST_WORKERS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlOptions:
    """The command line of `nephila crawl` as typed; None or empty where an option was not given."""

    urls: tuple[str, ...] = ()
    seeds: str | None = None
    into: str | None = None
    scope: str | None = None
    depth: str | None = None
    pages: str | None = None
    bytes: str | None = None
    time: str | None = None
    delay: str | None = None
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    contact: str | None = None
    allow_network: tuple[str, ...] = ()
    dns: str | None = None
    workers: str | None = None


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """Options that were understood: what they say, and what they leave to DIR or the defaults."""

    into: Path
    # Fields of CrawlPlan that were given.
    given: Mapping[str, Any]
    seeds: tuple[str, ...]
    # Seed file lines that were left out.
    left_out: tuple[BadInput, ...] = ()

    def onto(self, stored: CrawlPlan | None) -> CrawlPlan:
        """The plan of this run: `stored` (what DIR was last crawled with) changed by what was given.

        Seeds are added to those of DIR. Raises OtherCrawl when a rule differs that must not change
        on one DIR, and BadInput when there is nothing to start from.
        """
        if stored is None:
            if not self.seeds:
                fault = f"there is no URL to start from, and no crawl in {self.into} to go on with"
                raise BadInput(fault, "name one: nephila crawl https://example.org/")
            plan = replace(CrawlPlan(seeds=self.seeds, into=self.into), **self.given)
        else:
            every = tuple(dict.fromkeys((*stored.seeds, *self.seeds)))
            plan = replace(stored, seeds=every, **{"workers": None, **self.given})
            _check_same_rules(stored, plan)
        _check_delay(plan)
        return plan


def understand(options: CrawlOptions) -> PlanRequest:
    """Reads every option. Raises BadInputs with one line for each fault."""
    faults: list[BadInput] = []
    given: dict[str, Any] = {}
    _understand_single(options, given, faults)
    _understand_repeated(options, given, faults)
    found, seed_faults = _seeds(options, faults)
    into = Path(options.into) if options.into else None
    if into is None and found:
        into = seeds.default_directory(found[0])
    if into is None and not faults:
        fault = "there is no URL to start from"
        mend = "name one: nephila crawl https://example.org/, or go on with --into DIR"
        faults.append(BadInput(fault, mend))
    if faults or into is None:
        raise BadInputs(faults)
    return PlanRequest(into, given, tuple(found), tuple(seed_faults))


def _seeds(options: CrawlOptions, faults: list[BadInput]) -> tuple[list[str], list[BadInput]]:
    try:
        found, seed_faults = seeds.seeds_from(options.urls, options.seeds)
    except BadInput as fault:
        faults.append(fault)
        return [], []
    if not found:
        # Nothing good among what was named: its faults stop the command.
        faults.extend(seed_faults[:20])
        if options.seeds is not None and not seed_faults:
            fault = f"the seed file {options.seeds} holds no URL"
            faults.append(BadInput(fault, "write one URL a line"))
        return [], []
    return found, seed_faults


def _understand_single(
    options: CrawlOptions, given: dict[str, Any], faults: list[BadInput]
) -> None:
    parsers: dict[str, tuple[str, str | None, Callable[[str, str], object]]] = {
        "scope": ("--scope", options.scope, _scope),
        "depth": ("--depth", options.depth, option_values.count),
        "page_budget": ("--pages", options.pages, _liftable(option_values.at_least_one)),
        "byte_budget": ("--bytes", options.bytes, _liftable(option_values.size)),
        "time_budget": ("--time", options.time, _liftable(option_values.positive_duration)),
        "delay": ("--delay", options.delay, option_values.duration),
        "contact": ("--contact", options.contact, option_values.contact),
        "dns": ("--dns", options.dns, option_values.name_server),
        "workers": ("--workers", options.workers, _workers),
    }
    for field, (option, text, parse) in parsers.items():
        if text is not None:
            try:
                given[field] = parse(option, text)
            except BadInput as fault:
                faults.append(fault)


def _understand_repeated(
    options: CrawlOptions, given: dict[str, Any], faults: list[BadInput]
) -> None:
    parsers: dict[str, tuple[str, tuple[str, ...], Callable[[str, str], object]]] = {
        "include": ("--include", options.include, option_values.pattern),
        "exclude": ("--exclude", options.exclude, option_values.pattern),
        "allow_networks": ("--allow-network", options.allow_network, option_values.network),
    }
    for field, (option, texts, parse) in parsers.items():
        values: list[object] = []
        for text in texts:
            try:
                values.append(parse(option, text))
            except BadInput as fault:
                faults.append(fault)
        if texts:
            given[field] = tuple(values)


_liftable = option_values.unless_none


def _scope(option: str, text: str) -> ScopeKind:
    try:
        return ScopeKind(text.lower())
    except ValueError:
        kinds = ", ".join(kind.value for kind in ScopeKind)
        raise BadInput(f"{option} {text!r} is no scope", f"write one of {kinds}") from None


def _workers(option: str, text: str) -> int:
    number = option_values.count(option, text)
    if number > MOST_WORKERS:
        fault = f"{option} {number} is more than {MOST_WORKERS}"
        raise BadInput(fault, "leave it out: one for each spare core is the best")
    return number


def _check_delay(plan: CrawlPlan) -> None:
    if plan.delay is not None and plan.delay < LEAST_PUBLIC_DELAY and not plan.allow_networks:
        seconds = plan.delay.total_seconds()
        raise BadInput(
            f"--delay {seconds:g} is below one second, which is for servers of one's own",
            "name their network too, such as --allow-network 127.0.0.0/8, or write --delay 1",
        )


_FIXED = {"scope": "--scope", "depth": "--depth", "include": "--include", "exclude": "--exclude"}


def _check_same_rules(stored: CrawlPlan, plan: CrawlPlan) -> None:
    if stored.fingerprint() == plan.fingerprint():
        return
    for field in fields(CrawlPlan):
        before, now = getattr(stored, field.name), getattr(plan, field.name)
        if field.name in _FIXED and before != now:
            option = _FIXED[field.name]
            raise OtherCrawl(
                f"{plan.into} was begun with {_told(option, before)}, not {_told(option, now)}",
                f"leave {option} as it was to go on, or start anew with --into another directory",
            )


def _told(option: str, value: object) -> str:
    if value is None or value == ():
        return f"no {option}"
    if isinstance(value, tuple):
        patterns: tuple[Any, ...] = value
        return " ".join(f"{option} {pattern.pattern!r}" for pattern in patterns)
    return f"{option} {value}"
