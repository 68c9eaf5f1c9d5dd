"""`python -m nephila_testkit.servers.guard DIR PID`: once PID has ended, stops the servers of DIR."""

import os
import shutil
import sys
import time
from pathlib import Path

from nephila_testkit.servers.all_servers import Servers
from nephila_testkit.servers.daemon import has_ended

# A worker whose main process was killed may be starting a server; it ends itself within 10 s.
_WORKERS_END_WITHIN_S = 12.0


def main() -> None:
    directory, pid = Path(sys.argv[1]), int(sys.argv[2])
    _wait_for_end(pid)
    Servers.at(directory).stop()
    time.sleep(_WORKERS_END_WITHIN_S)
    Servers.at(directory).stop()
    shutil.rmtree(directory, ignore_errors=True)


def _wait_for_end(pid: int) -> None:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    has_ended(handle, None)


if __name__ == "__main__":
    main()
