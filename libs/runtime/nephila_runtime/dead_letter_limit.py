"""A service that dead-letters nearly everything is at fault itself, and stops (design 4.10)."""


class TooManyDeadLetters(Exception):
    """Nearly everything of late was poison: a wrong release, a lost schema. Nothing of the turn remains."""

    def __init__(self, service: str, buried: int, finished: int) -> None:
        super().__init__(f"{service} would send {buried} of {finished} records to the dead letters")


class DeadLetterLimit:
    """Looks at the records of late, about `window` of them: fewer than that prove nothing."""

    def __init__(self, service: str, window: int = 100, share: float = 0.9) -> None:
        self._service = service
        self._window = window
        self._share = share
        self._finished = 0
        self._buried = 0

    def count(self, finished: int, buried: int) -> None:
        """Takes in a turn before it is committed, `buried` of its `finished` records being poison.

        Raises TooManyDeadLetters.
        """
        self._finished += finished
        self._buried += buried
        if self._finished < self._window:
            return
        if self._buried >= self._finished * self._share:
            raise TooManyDeadLetters(self._service, self._buried, self._finished)
        # Older records weigh half as much with each window.
        self._finished //= 2
        self._buried //= 2
