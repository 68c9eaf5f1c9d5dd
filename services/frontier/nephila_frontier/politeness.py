"""How gently a host is asked. Pure: durations in seconds, no clock."""

from dataclasses import dataclass

from nephila_frontier.settings import FrontierSettings

# Weight of the newest answer in the usual response time: five answers make it.
_NEWEST = 0.3


def usual_response_time(usual: float, newest: float) -> float:
    """An exponentially weighted mean; a `usual` of 0 is not known yet."""
    return newest if usual == 0.0 else usual + _NEWEST * (newest - usual)


@dataclass(frozen=True, slots=True)
class Politeness:
    """The crawl's delays."""

    host_delay: float
    site_delay: float
    ip_interval: float
    longest_crawl_delay: float
    delay_factor: float
    longest_adaptive_delay: float
    first_back_off: float
    longest_back_off: float
    longest_retry_after: float
    put_off: float
    handed_back_delay: float

    @classmethod
    def of(cls, settings: FrontierSettings) -> "Politeness":
        return cls(
            host_delay=settings.host_delay.total_seconds(),
            site_delay=settings.site_delay.total_seconds(),
            ip_interval=settings.ip_interval.total_seconds(),
            longest_crawl_delay=settings.longest_crawl_delay.total_seconds(),
            delay_factor=settings.delay_factor,
            longest_adaptive_delay=settings.longest_adaptive_delay.total_seconds(),
            first_back_off=settings.first_back_off.total_seconds(),
            longest_back_off=settings.longest_back_off.total_seconds(),
            longest_retry_after=settings.longest_retry_after.total_seconds(),
            put_off=settings.put_off.total_seconds(),
            handed_back_delay=settings.handed_back_delay.total_seconds(),
        )

    def delay(self, crawl_delay: float, response_time: float, override: float | None) -> float:
        """From the end of an answer to the host's next request. An `override` replaces the default
        and the adaptive delay, never what robots.txt asks for."""
        asked = min(crawl_delay, self.longest_crawl_delay)
        if override is not None:
            return max(override, asked)
        adaptive = min(response_time * self.delay_factor, self.longest_adaptive_delay)
        return max(self.host_delay, asked, adaptive)

    def back_off(self, failures: int, retry_after: float, chance: float) -> float:
        """From the `failures`th failure in a row to the next request.

        `chance` (0 to 1) lengthens it by up to a tenth, so that hosts that failed together do not
        come back together. A Retry-After is never undercut.
        """
        doubled = self.first_back_off * 2.0 ** min(failures - 1, 32)
        own = min(doubled * (1.0 + 0.1 * chance), self.longest_back_off)
        return max(own, min(retry_after, self.longest_retry_after))
