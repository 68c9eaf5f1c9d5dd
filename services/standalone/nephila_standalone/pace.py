"""When a view shows a snapshot again."""

from nephila_standalone.progress import Progress


class Pace:
    """At each change of state, else after `seconds` of the run. Snapshots come ten times a second."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._shown: Progress | None = None

    def is_due(self, progress: Progress) -> bool:
        """Whether this snapshot is to be shown; if so, it counts as the last one shown."""
        last = self._shown
        if last is None or last.state != progress.state:
            due = True
        else:
            due = progress.elapsed - last.elapsed >= self._seconds
        if due:
            self._shown = progress
        return due
