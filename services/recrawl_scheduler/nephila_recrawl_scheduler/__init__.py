"""When a URL is visited again.

What is here so far is the memory that this needs: `record` writes the verdict of each final attempt into
the URL's fetch_ columns: how it ended and why, when, and the validators for a conditional request. A
verdict older than the row's changes nothing, so copies and late ones do no harm; validators outlive a
failure, since the page they speak of is still the last one seen.

Nothing is scheduled yet: url_due has no source here, and url_hinted (news about known URLs) no reader.
It owns the fetch_ columns of url_state. It never fetches, and never decides what a page is worth.
"""

from nephila_recrawl_scheduler.service import build_recrawl_scheduler
from nephila_recrawl_scheduler.settings import RecrawlSchedulerSettings

__all__ = ["RecrawlSchedulerSettings", "build_recrawl_scheduler"]
