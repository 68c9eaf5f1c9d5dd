"""When a member of a group may act."""

import asyncio
from datetime import timedelta

from nephila_runtime.liveness import Liveness
from nephila_runtime.virtual_time import VirtualClock, run_virtual

SESSION = timedelta(seconds=6)


def test_nothing_is_done_before_the_first_commit_nor_after_a_revocation() -> None:
    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        liveness = Liveness(clock, SESSION)
        assert not liveness.may_act()
        liveness.proved(clock.now())
        assert liveness.may_act()
        liveness.ended()
        assert not liveness.may_act()

    run_virtual(main())


def test_a_proof_lasts_for_one_session_from_when_it_was_sent() -> None:
    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        liveness = Liveness(clock, SESSION)
        sent_at = clock.now()
        await clock.sleep(2)
        liveness.proved(sent_at)
        await clock.sleep(3.9)
        assert liveness.may_act()
        await clock.sleep(0.1)
        assert not liveness.may_act()

    run_virtual(main())


def test_a_proof_is_due_every_sixth_of_a_session() -> None:
    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        liveness = Liveness(clock, SESSION)
        assert liveness.next_proof_at() is None
        liveness.proved(clock.now())
        assert liveness.next_proof_at() == clock.now() + 1

    run_virtual(main())


def test_who_waits_goes_on_once_it_is_proved() -> None:
    async def main() -> None:
        clock = VirtualClock(asyncio.get_running_loop())
        liveness = Liveness(clock, SESSION)
        waiting = asyncio.create_task(liveness.until_may_act())
        await clock.sleep(10)
        assert not waiting.done()
        liveness.proved(clock.now())
        await waiting
        assert clock.now() < 10.1

    run_virtual(main())
