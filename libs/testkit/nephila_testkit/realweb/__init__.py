"""Thousands of real pages that nobody here wrote, served on loopback by servers that nobody here wrote.

Debian's documentation packages stand behind nginx, one address and one name a site; dnsmasq gives
the names. `python -m nephila_testkit.realweb install|start|wait|stop DIR` runs it; `reachable` is a
separate program that works out which URLs a crawl of a site must find; `access_log` turns nginx's
log into the evidence that the checker reads.
"""

from nephila_testkit.realweb.access_log import read_access_log
from nephila_testkit.realweb.servers import RealWeb
from nephila_testkit.realweb.sites import SITES, Site

__all__ = ["SITES", "RealWeb", "Site", "read_access_log"]
