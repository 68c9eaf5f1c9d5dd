"""What the host suite asks of a host under test, and the little services that it runs on it."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Protocol

from nephila_contracts import Topic, topics
from nephila_contracts.v1.url_pb2 import DiscoveredLink, UrlAdmitted, UrlDiscovered
from nephila_runtime import Clock, Emit, Handled, Record, Service, Step, WholeBatches


class HostHarness(Protocol):
    """A host over durable state that outlives its runs. A run ends by itself, by failure, or by a crash."""

    @property
    def partitions(self) -> int: ...

    @property
    def clock(self) -> Clock: ...

    async def publish(self, emits: Sequence[Emit[Any]]) -> None:
        """Puts messages on their topics, durably, while nothing runs."""
        ...

    async def run(
        self,
        services: Sequence[Service],
        *,
        until: Callable[[], bool] | None = None,
        crash_at: str | None = None,
    ) -> None:
        """Runs services until `until` holds, or until nothing is left to do.

        With `crash_at` the process dies the first time that it passes that point of its work:
        "handled" (before anything is durable), "prepared" (files durable, nothing committed) or
        "committed" (before `after`). Raises what ended the run when a step failed.
        """
        ...

    async def read(self, topic: Topic[Any]) -> list[Record[Any]]:
        """All that a reader of committed messages finds in a topic, by partition, in order."""
        ...

    async def dead_letters(self, topic: Topic[Any]) -> list[Record[Any]]: ...


def discovered(site: str, name: str) -> Emit[UrlDiscovered]:
    """A message to feed in: `name` tells it from others of its site."""
    link = DiscoveredLink(url=f"https://{site}/{name}")
    return Emit(topics.URL_DISCOVERED, site, UrlDiscovered(site_key=site, links=[link]))


def admitted(site: str, url: str) -> Emit[UrlAdmitted]:
    return Emit(topics.URL_ADMITTED, site, UrlAdmitted(site_key=site, url=url))


def name_of(record: Record[UrlDiscovered]) -> str:
    return record.message.links[0].url.rsplit("/", 1)[1]


async def echo(batch: Sequence[Record[UrlDiscovered]]) -> Handled:
    """Admits every link as it stands."""
    return Handled([admitted(r.message.site_key, r.message.links[0].url) for r in batch])


def service(
    handle: Callable[[Sequence[Record[UrlDiscovered]]], Awaitable[Handled]] = echo,
    *,
    name: str = "echo",
    **step: Any,
) -> Service:
    """A service of one step from url_discovered to url_admitted."""
    options: dict[str, Any] = {"order": WholeBatches(10), **step}
    return Service(
        name,
        (Step("echo", topics.URL_DISCOVERED, (topics.URL_ADMITTED,), handle, **options),),
    )
