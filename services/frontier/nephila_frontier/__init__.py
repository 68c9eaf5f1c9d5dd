"""The frontier: which URL is fetched next, and when. Mercator's design.

How a URL lives here. url_dedup lets it through; `admit` cuts it at its host, gives it a priority class by
its signals (`priority`) and appends it to the queue of that host and class, on disk, and in memory too
while that queue is short (`back_queues`). Its host waits for its time: the delay since its last answer,
the delay of its site key, a Crawl-delay, a back-off (`politeness`). When the time has come the host
moves to the front queue of the class that it would fetch (`front_queues`), where a biased selector gives
each class its share, and capacity is split between new and known URLs (`capacity`). `dispatch` leases
one URL a host and site, if its address has no other request just now (`address_gate`), the budget has
room (`budget`) and the valve is open (`valve`). `release` takes the outcome: the URL leaves, or stays at
the head of its queue to be tried again (`outcome`), and its host waits anew. `expire` takes back
leases whose time is over.

It owns the queues, the hosts' timers and the leases; memory is rebuilt from the store by `restore`,
after which every host waits its whole delay. It never touches the network, never judges a page, and
never refuses input: it is the pipeline's only valve.
"""

from nephila_frontier.budget import Budget, BudgetSpent
from nephila_frontier.downstream import Downstream, NoOverrides, Overrides
from nephila_frontier.service import build_frontier
from nephila_frontier.settings import FrontierSettings
from nephila_frontier.status import BusyHost, FrontierStatus, FrontierView, Wait, WaitingHost
from nephila_frontier.valve import ValveClosed

__all__ = [
    "Budget",
    "BudgetSpent",
    "BusyHost",
    "Downstream",
    "FrontierSettings",
    "FrontierStatus",
    "FrontierView",
    "NoOverrides",
    "Overrides",
    "ValveClosed",
    "Wait",
    "WaitingHost",
    "build_frontier",
]
