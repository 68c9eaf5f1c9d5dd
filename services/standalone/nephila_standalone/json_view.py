"""Progress as JSON lines, for programs: {"event": "progress" | "summary", …}."""

import json
from dataclasses import asdict
from typing import Any, TextIO

from nephila_standalone.directory import DirectoryPaths
from nephila_standalone.pace import Pace
from nephila_standalone.progress import Progress

_EVERY_SECONDS = 1.0


class JsonView:
    """One line a second and one at each change of state; the field names are those of `Progress`."""

    def __init__(self, output: TextIO) -> None:
        self._output = output
        self._pace = Pace(_EVERY_SECONDS)

    def show(self, progress: Progress) -> None:
        if self._pace.is_due(progress):
            self._write({"event": "progress", **asdict(progress)})

    def finish(self, progress: Progress, paths: DirectoryPaths) -> None:
        files = {
            "directory": str(paths.path),
            "warc": str(paths.warc),
            "page_fetched": str(paths.page_fetched),
            "links": str(paths.links),
        }
        self._write({"event": "summary", **asdict(progress), **files})

    def close(self) -> None:
        self._output.flush()

    def _write(self, line: dict[str, Any]) -> None:
        # ASCII: host names come from pages, and a terminal may be reading.
        self._output.write(json.dumps(line) + "\n")
        self._output.flush()
