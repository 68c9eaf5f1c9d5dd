"""How much a crawl may use up over its whole life, and what it has. Pure."""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from nephila_storage.frontier_store import Spent


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of a crawl; None is none. They count over all its runs."""

    pages: int | None = None
    body_bytes: int | None = None
    time: timedelta | None = None


class BudgetSpent(StrEnum):
    """Which limit was reached."""

    PAGES = "pages"
    BODY_BYTES = "bytes"
    TIME = "time"


class Account:
    """What is spent of a budget. `spent` is what to keep on disk."""

    def __init__(self, budget: Budget, now: float) -> None:
        self.budget = budget
        self.spent = Spent()
        self._counted_at = now

    def resume(self, spent: Spent, now: float) -> None:
        """Goes on from what is on disk."""
        self.spent = spent
        self._counted_at = now

    def pay(self, now: float, *, pages: int = 0, body_bytes: int = 0) -> Spent:
        """Adds what was used, and the time since the last payment."""
        elapsed = int((now - self._counted_at) * 1000)
        self._counted_at += elapsed / 1000
        spent = self.spent
        self.spent = Spent(
            spent.pages + pages, spent.body_bytes + body_bytes, spent.milliseconds + elapsed
        )
        return self.spent

    def moved(self, now: float) -> bool:
        """A second or more has gone by since the last payment."""
        return now - self._counted_at >= 1.0

    def over(self, now: float) -> BudgetSpent | None:
        """The limit that is reached: nothing is leased any more."""
        budget, spent = self.budget, self.spent
        if budget.pages is not None and spent.pages >= budget.pages:
            return BudgetSpent.PAGES
        if budget.body_bytes is not None and spent.body_bytes >= budget.body_bytes:
            return BudgetSpent.BODY_BYTES
        if budget.time is not None:
            used = spent.milliseconds / 1000 + now - self._counted_at
            if used >= budget.time.total_seconds():
                return BudgetSpent.TIME
        return None

    def room(self, pages_out: int) -> int | None:
        """Leases that may go out beside those of pages that are out, so that the pages never
        overshoot; None is any number."""
        if self.budget.pages is None:
            return None
        return max(self.budget.pages - self.spent.pages - pages_out, 0)
