"""Which class a URL queues in. Pure.

| class | who | weight |
| --- | --- | --- |
| 0 | seeds, pings and replays; sitemaps and feeds, which bring whole sites | 16 |
| 1 | depth 1, sitemap priority of 0.8 or more, changed within two days | 8 |
| 2 | depth 2 or 3, or named by a sitemap | 4 |
| 3 | depth 4 to 6, or sitemap priority below 0.3 | 2 |
| 4 | deeper | 1 |
| 5 | known, changing fast or important (0.5 or more) | |
| 6 | known, to be looked after | |

The five classes of new URLs share their lane by weight; lanes share capacity by `capacity`.
"""

from enum import IntEnum

from nephila_contracts.v1.url_pb2 import (
    DISCOVERY_SOURCE_FEED,
    DISCOVERY_SOURCE_PING,
    DISCOVERY_SOURCE_REPLAY,
    DISCOVERY_SOURCE_SEED,
    DISCOVERY_SOURCE_SITEMAP,
    URL_KIND_UNSPECIFIED,
    UrlAdmitted,
    UrlDue,
)

_FIRST = frozenset((DISCOVERY_SOURCE_SEED, DISCOVERY_SOURCE_PING, DISCOVERY_SOURCE_REPLAY))
_LISTED = frozenset((DISCOVERY_SOURCE_SITEMAP, DISCOVERY_SOURCE_FEED))
_NEW_FOR_MS = 2 * 24 * 3600 * 1000
# Class of a depth; deeper ones are 4.
_BY_DEPTH = (1, 1, 2, 2, 3, 3, 3)

CLASS_WEIGHTS = (16.0, 8.0, 4.0, 2.0, 1.0)
FAST = 5
REVALIDATE = 6
CLASSES = 7


class Lane(IntEnum):
    """What capacity is split between."""

    NEW = 0
    FAST = 1
    REVALIDATE = 2


LANE_OF = (Lane.NEW,) * len(CLASS_WEIGHTS) + (Lane.FAST, Lane.REVALIDATE)


def class_of_new(url: UrlAdmitted, wall_ms: int) -> int:
    """0 (soonest) to 4. `wall_ms` tells how new a lastmod is."""
    source = url.source
    if source in _FIRST or url.kind != URL_KIND_UNSPECIFIED:
        return 0
    depth = url.depth
    by_depth = _BY_DEPTH[depth] if depth < len(_BY_DEPTH) else 4
    priority = url.priority
    if priority >= 0.8 or 0 <= wall_ms - url.lastmod_unix_ms <= _NEW_FOR_MS:
        return 1
    if 0 < priority < 0.3:
        return max(by_depth, 3)
    if source in _LISTED:
        return min(by_depth, 2)
    return by_depth


def class_of_due(url: UrlDue) -> int:
    """FAST or REVALIDATE."""
    return FAST if url.importance >= 0.5 else REVALIDATE
