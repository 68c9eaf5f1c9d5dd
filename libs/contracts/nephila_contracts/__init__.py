"""What Nephila's services say to each other.

`v1` holds the messages, generated from `proto/nephila_contracts/v1`; `topics` lists every topic, one
line each, with who fills and who empties it; `names` gives reason codes and verdicts as words. A
service may change freely behind these; a breaking change here makes a new version of a topic.

This package decides nothing and does no I/O.
"""

from nephila_contracts.topic import Topic

__all__ = ["Topic"]
