"""When each host may be asked again: `politeness` applied to what comes back from it."""

import random

from nephila_contracts.v1.fetch_pb2 import FetchCompleted

from nephila_frontier import outcome
from nephila_frontier.back_queues import Host
from nephila_frontier.downstream import Overrides
from nephila_frontier.politeness import Politeness, usual_response_time


class HostTimers:
    """Sets the instants of hosts that have their turn, and of their sites."""

    def __init__(self, politeness: Politeness, overrides: Overrides, rng: random.Random) -> None:
        # Hosts that failed and are left alone longer than their delay.
        self.backed_off: dict[Host, None] = {}
        self._politeness = politeness
        self._overrides = overrides
        self._rng = rng

    def delay(self, host: Host) -> float:
        """The host's crawl delay in seconds, as things stand."""
        override = self._overrides.delay(host.name, host.site_key)
        return self._politeness.delay(host.crawl_delay, host.response_time, override)

    def ask_later(self, host: Host, now: float) -> None:
        """A request to the host has just ended, or may have."""
        host.due_at = max(host.due_at, now + self.delay(host))
        host.site.next_at = max(host.site.next_at, now + self._politeness.site_delay)

    def put_off(self, host: Host, now: float) -> None:
        """The operator keeps it back: it is looked at again later."""
        host.due_at = max(host.due_at, now + self._politeness.put_off)

    def learn(self, host: Host, completed: FetchCompleted, now: float) -> None:
        """What an outcome says about its host, and when it may be asked again."""
        if completed.crawl_delay_ms or completed.http_status:
            host.crawl_delay = completed.crawl_delay_ms / 1000
        if completed.http_status and completed.elapsed_ms:
            newest = completed.elapsed_ms / 1000
            host.response_time = usual_response_time(host.response_time, newest)
        if completed.ip:
            host.ip = completed.ip
        if completed.request_sent:
            self.ask_later(host, now)
        self._back_off(host, completed, now)
        if outcome.is_held(completed):
            self.put_off(host, now)
        elif outcome.is_handed_back(completed):
            host.due_at = max(host.due_at, now + self._politeness.handed_back_delay)

    def _back_off(self, host: Host, completed: FetchCompleted, now: float) -> None:
        asked = completed.retry_after_ms / 1000
        if outcome.is_trouble(completed):
            host.failures += 1
            wait = self._politeness.back_off(host.failures, asked, self._rng.random())
        elif outcome.is_answer(completed) or asked:
            # A Retry-After is obeyed whatever it came with.
            wait = min(asked, self._politeness.longest_retry_after)
        else:
            return
        if outcome.is_answer(completed):
            host.failures = 0
        if wait:
            self.wait(host, now + wait)
        else:
            self.backed_off.pop(host, None)

    def wait(self, host: Host, until: float) -> None:
        """Backs a host off."""
        host.wait_until = until
        host.due_at = max(host.due_at, until)
        self.backed_off[host] = None

    def forget(self, partitions: frozenset[int]) -> None:
        self.backed_off = {
            host: None for host in self.backed_off if host.site.partition not in partitions
        }
