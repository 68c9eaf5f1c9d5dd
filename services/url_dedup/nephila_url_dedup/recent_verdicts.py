"""What was decided lately, by digest: spares most links the seen set and all rules."""

from nephila_contracts.v1.reason_pb2 import Reason


class RecentVerdicts:
    """REASON_KNOWN for URLs that are surely let through, another reason for pages that are refused
    whichever way they are met. Exact; the least recent are forgotten.

    Two generations instead of a list in order of use: a hit in the young one, the usual case, changes
    nothing. When the young one has half of `capacity`, it becomes the old one.
    """

    def __init__(self, capacity: int) -> None:
        self._half = max(1, capacity // 2)
        self._young: dict[bytes, Reason] = {}
        self._old: dict[bytes, Reason] = {}

    def get(self, digest: bytes) -> Reason | None:
        """None when nothing is remembered."""
        verdict = self._young.get(digest)
        if verdict is None:
            verdict = self._old.get(digest)
            if verdict is not None:
                self.remember(digest, verdict)
        return verdict

    def remember(self, digest: bytes, verdict: Reason) -> None:
        """REASON_KNOWN only of what is durable."""
        self._young[digest] = verdict
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}

    def forget(self) -> None:
        """Forgets all."""
        self._young = {}
        self._old = {}
