"""A machine that fails as it is told, under a process that knows nothing of it.

`failing_machine` puts a small library before libc's own: the time of day jumps, disks refuse, fail or
dawdle, at the moment that a test chooses. `small_disk` is a disk of a few megabytes that a test fills
and empties. Neither needs root.
"""

from nephila_testkit.faults.failing_machine import FailingMachine
from nephila_testkit.faults.small_disk import SmallDisk

__all__ = ["FailingMachine", "SmallDisk"]
