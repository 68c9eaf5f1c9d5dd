"""Whether a page is new, and what becomes of it.

A final attempt comes in with all that is known of it. `attempts` takes it in, `answers` says what sort it
is. If it is a page, `known_content` finds what its URL held before and which canonical pages have the
same content (by digest) or content like it (by simhash), including those of the same batch; `verdict`
decides, purely: new, changed, unchanged, or an alias of another page. What brought no page is redirected,
gone, refused, failed or lost. `archive` says what of it is kept: the whole response, a revisit record
that points to where the same bytes lie already, or a note that tells what it resembles. `rows` is what
the URL is remembered by, and `events` what is told: page_judged always, page_fetched when somebody who
holds a copy of the web has to change it.

`judge` is the step that does this in order. It keeps nothing between batches: rows, fingerprints, archive
and messages become visible together.

It never decides when a page is fetched again, and never looks inside one: that is recrawl_scheduler's and
parser's.
"""

from nephila_content_dedup.service import build_content_dedup
from nephila_content_dedup.settings import ContentDedupSettings

__all__ = ["ContentDedupSettings", "build_content_dedup"]
