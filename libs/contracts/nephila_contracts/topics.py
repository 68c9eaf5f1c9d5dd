"""Every topic, one line each: filled by → emptied by. All but the last two are keyed by site key."""

from typing import Any

from nephila_contracts.topic import Topic
from nephila_contracts.v1.control_pb2 import CrawlControl, RenderRequested
from nephila_contracts.v1.fetch_pb2 import FetchCompleted, FetchRequested
from nephila_contracts.v1.links_pb2 import Importance, PageLinks
from nephila_contracts.v1.page_pb2 import PageDownloaded, PageFetched, PageJudged, PageParsed
from nephila_contracts.v1.url_pb2 import UrlAdmitted, UrlDiscovered, UrlDue, UrlHinted

# parser, fetcher, control_plane → url_dedup
URL_DISCOVERED = Topic("url_discovered", UrlDiscovered)
# url_dedup → recrawl_scheduler
URL_HINTED = Topic("url_hinted", UrlHinted)
# url_dedup → frontier
URL_ADMITTED = Topic("url_admitted", UrlAdmitted)
# recrawl_scheduler → frontier
URL_DUE = Topic("url_due", UrlDue)
# frontier → fetcher
FETCH_REQUESTED = Topic("fetch_requested", FetchRequested)
# fetcher, renderer → frontier
FETCH_COMPLETED = Topic("fetch_completed", FetchCompleted)
# fetcher, renderer → parser
PAGE_DOWNLOADED = Topic("page_downloaded", PageDownloaded)
# frontier → renderer
RENDER_REQUESTED = Topic("render_requested", RenderRequested)
# parser, fetcher, frontier → content_dedup
PAGE_PARSED = Topic("page_parsed", PageParsed)
# content_dedup → recrawl_scheduler
PAGE_JUDGED = Topic("page_judged", PageJudged)
# content_dedup → indexer, and anybody
PAGE_FETCHED = Topic("page_fetched", PageFetched)
# parser → ranker
LINK_GRAPH = Topic("link_graph", PageLinks)
# control_plane → every process
CRAWL_CONTROL = Topic("crawl_control", CrawlControl, compacted=True)
# ranker → frontier, recrawl_scheduler
IMPORTANCE = Topic("importance", Importance, compacted=True)

ALL: tuple[Topic[Any], ...] = (
    URL_DISCOVERED,
    URL_HINTED,
    URL_ADMITTED,
    URL_DUE,
    FETCH_REQUESTED,
    FETCH_COMPLETED,
    PAGE_DOWNLOADED,
    RENDER_REQUESTED,
    PAGE_PARSED,
    PAGE_JUDGED,
    PAGE_FETCHED,
    LINK_GRAPH,
    CRAWL_CONTROL,
    IMPORTANCE,
)
