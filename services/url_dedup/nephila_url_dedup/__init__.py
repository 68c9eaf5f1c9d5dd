"""Every URL that anybody met, let through at most once.

A batch of url_discovered comes in. A link met lately is settled by `RecentVerdicts`; any other is spelled
canonically and judged (`Judgement`: blocklist, scope, patterns, depth, redirects, traps). What may pass is
asked of the seen set, a Bloom filter, and only what is "probably seen" of url_state. A new URL gets a
row with the origin of its message and goes to the frontier as url_admitted; a known one that brought
news (`again`, a lastmod) goes to recrawl_scheduler as url_hinted; a refused one is counted by reason.

A row whose origin is the message being handled counts as new, so that a crash between row and
publish repeats the URL instead of losing it. The seen set and the memory of known URLs learn only in
`after`, once all that is durable. Refused URLs enter neither, so that a lifted rule lets them in.

It never fetches, never orders, and never counts pages: budgets are the frontier's.
"""

from nephila_url_dedup.blocklist import Blocklist
from nephila_url_dedup.judgement import Judgement
from nephila_url_dedup.service import build_url_dedup
from nephila_url_dedup.settings import UrlDedupSettings

__all__ = ["Blocklist", "Judgement", "UrlDedupSettings", "build_url_dedup"]
