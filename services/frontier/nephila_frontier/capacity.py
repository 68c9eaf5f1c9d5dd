"""How capacity is split between discovery and recrawl. Pure."""

from collections.abc import Sequence


class CapacitySplit:
    """A token bucket a lane: each turn earns every lane its share and costs the lane that goes one.

    The lane with the most tokens goes, among those that have work, so no capacity is left unused and
    none of them starves. A lane without work saves up `burst` turns at most.
    """

    def __init__(self, shares: Sequence[float], burst: float = 20.0) -> None:
        total = sum(shares)
        self._shares = [share / total for share in shares]
        self._tokens = [0.0] * len(shares)
        self._burst = burst

    def pick(self, lanes: Sequence[int]) -> int:
        """The lane that goes next. `lanes` are those that have work, at least one."""
        if len(lanes) == 1:
            return lanes[0]
        tokens = self._tokens
        for lane, share in enumerate(self._shares):
            tokens[lane] = min(tokens[lane] + share, self._burst)
        chosen = max(lanes, key=tokens.__getitem__)
        tokens[chosen] = max(tokens[chosen] - 1.0, -self._burst)
        return chosen
