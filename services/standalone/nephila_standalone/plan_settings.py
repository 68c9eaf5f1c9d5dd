"""The settings of the services for a plan: their own from the environment, the command line over them."""

from datetime import timedelta

from nephila_fetcher import FetcherSettings
from nephila_frontier import FrontierSettings
from nephila_parser import ParserSettings

from nephila_standalone.crawl_plan import CrawlPlan

_SHORTEST_PAUSE = timedelta(seconds=15)


class _FetcherSettings(FetcherSettings):
    """With a page where a site's owner finds out who crawls, for a user who names no contact."""

    contact: str = "https://nephila.invalid/"


def frontier_settings(plan: CrawlPlan) -> FrontierSettings:
    """A given delay is the interval of host, site and IP alike, and switches adaptation off."""
    if plan.delay is None:
        return FrontierSettings()
    given = FrontierSettings(
        host_delay=plan.delay, site_delay=plan.delay, ip_interval=plan.delay, delay_factor=0.0
    )
    if _is_last_word(plan):
        return given.model_copy(update={"longest_crawl_delay": timedelta()})
    return given


def fetcher_settings(plan: CrawlPlan) -> FetcherSettings:
    """A pause between robots.txt and the page lasts two given delays, should that be long."""
    given: dict[str, object] = {}
    if plan.contact:
        given["contact"] = plan.contact
    if plan.delay is not None:
        given["longest_pause"] = max(plan.delay * 2, _SHORTEST_PAUSE)
    if _is_last_word(plan):
        given["obey_crawl_delay"] = False
    return _FetcherSettings.model_validate(given)


def parser_settings(plan: CrawlPlan) -> ParserSettings:
    """No worker is the main process in place of one."""
    if plan.workers is None:
        return ParserSettings()
    return ParserSettings(workers=max(plan.workers, 1))


def _is_last_word(plan: CrawlPlan) -> bool:
    """Whether a given delay stands over Crawl-delay: on one's own networks it does."""
    return plan.delay is not None and bool(plan.allow_networks)
