"""A tick and when it runs next."""

from nephila_runtime.service import Tick
from nephila_runtime.step_runner import Turn


class DueTick:
    """One tick of a service in a host."""

    def __init__(self, service: str, tick: Tick, now: float) -> None:
        self.service = service
        self.tick = tick
        self.due_at = now

    def next_at(self) -> float:
        """When it wants to run, on the clock."""
        sooner = self.tick.next_at()
        return self.due_at if sooner is None else min(sooner, self.due_at)

    async def run(self, turn: Turn, now: float) -> None:
        self.due_at = now + self.tick.every.total_seconds()
        handled = await self.tick.run()
        if handled.emits or handled.learned is not None:
            turn.take_in(self.service, handled, self.tick.after)
