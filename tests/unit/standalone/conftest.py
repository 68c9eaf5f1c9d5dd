"""A crawl that never was: snapshots as `pipeline` would tell them."""

import random
from collections.abc import Callable, Iterator

import pytest
from nephila_standalone.progress import (
    CrawlState,
    FinishReason,
    HostActivity,
    Progress,
    Waiting,
    WaitReason,
)

ProgressFeed = Callable[[int], Iterator[Progress]]


def feed(snapshots: int) -> Iterator[Progress]:
    """Half a second apart, the last one done; the same ones each time."""
    chance = random.Random(7)
    fetched = 0.0
    hosts = (
        "docs.example.org",
        "www.example.org",
        "a-very-long-name-of-a-host.departments.example.edu",
    )
    for number in range(snapshots):
        rate = max(0.0, 12 + 8 * chance.uniform(-1, 1) - 10 * (number % 17 == 0))
        fetched += rate / 2
        last = number == snapshots - 1
        yield Progress(
            state=_state(number, last),
            elapsed=number / 2,
            pages=int(fetched) + 400,
            pages_before=400,
            pages_per_second=rate,
            bytes=int(fetched * 34_567),
            queued=max(0, 2300 - number),
            leased=chance.randrange(5),
            duplicates=int(fetched / 30),
            failed={"GONE": int(fetched / 40), "TIMED_OUT": int(fetched / 90), "TLS_FAILED": 1},
            refused={"OUT_OF_SCOPE": int(fetched * 3), "SCHEME": 12, "EXCLUDED": 40, "PORT": 1},
            busiest=tuple(
                HostActivity(host, int(fetched / (place + 2)), 900 // (place + 1))
                for place, host in enumerate(hosts)
            ),
            waiting=(
                Waiting(hosts[0], chance.uniform(0, 1), WaitReason.CRAWL_DELAY),
                Waiting(hosts[2], 12.0, WaitReason.BACK_OFF),
                Waiting(hosts[1], 0, WaitReason.TURN),
            ),
            finish=FinishReason.NOTHING_LEFT if last else None,
        )


def _state(number: int, last: bool) -> CrawlState:
    if last:
        return CrawlState.DONE
    return CrawlState.STARTING if number == 0 else CrawlState.CRAWLING


@pytest.fixture
def progress_feed() -> ProgressFeed:
    return feed
