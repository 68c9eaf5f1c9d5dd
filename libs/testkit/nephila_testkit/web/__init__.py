"""A web made of a seed, whose every answer is known beforehand.

`graph` is the web as a value, `answers` what each URL answers, `reachable` which URLs a crawler
must ask for, worked out apart from the product. The same web is served in two ways: by
`virtual_network` inside one event loop, on a clock that need not be real, and by `server` in a
process of its own over sockets, which writes down every request before anybody can lose it.
`dns_server` gives its names. `generated` is an endless web for long crawls.

What is written down is `ServedRequest`s: the checker (`nephila_testkit.checker`) judges by nothing
else, beside what the crawler left on disk.
"""

from nephila_testkit.web.answers import Ending, SyntheticAnswer, answer
from nephila_testkit.web.graph import Node, SyntheticWeb
from nephila_testkit.web.reachable import Reachable, Scope, reachable
from nephila_testkit.web.served import ServedRequest
from nephila_testkit.web.shape import Role, WebShape

__all__ = [
    "Ending",
    "Node",
    "Reachable",
    "Role",
    "Scope",
    "ServedRequest",
    "SyntheticAnswer",
    "SyntheticWeb",
    "WebShape",
    "answer",
    "reachable",
]
