"""How a person calls this command where they stand, for commands that are shown to be typed."""

import shlex
import shutil
import sys
from pathlib import Path


def command_name() -> str:
    """ "nephila" where that is found on the PATH, else the path that was typed: `make crawl` calls
    .venv/bin/nephila."""
    called = Path(sys.argv[0])
    found = shutil.which("nephila")
    if called.name != "nephila" or (found and Path(found).resolve() == called.resolve()):
        return "nephila"
    return shlex.quote(str(called))
