"""Members of one group in processes of their own: what one process cannot show."""

import asyncio
import itertools
import signal
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from kafka_harness import KafkaHarness, fresh_settings, made, read_topic
from kafka_members import MemberProcess, eventually, member
from nephila_contracts import topics
from nephila_runtime.kafka_settings import KafkaSettings
from nephila_testkit.conformance.host_harness import discovered

pytestmark = pytest.mark.timeout(180)


@pytest.fixture
def settings(kafka_address: str) -> KafkaSettings:
    return asyncio.run(made(fresh_settings(kafka_address)))


def publish(settings: KafkaSettings, names: list[str], sites: int = 1) -> None:
    emits = [discovered(f"s{i % sites}.test", name) for i, name in enumerate(names)]
    asyncio.run(KafkaHarness(settings).publish(emits))


def admitted(settings: KafkaSettings) -> list[str]:
    """The names that a reader of committed messages finds, each as often as it does."""
    found = read_topic(settings, topics.URL_ADMITTED)
    return sorted(record.message.url.rsplit("/", 1)[1] for record in found)


def numbers(count: int) -> list[str]:
    return [f"{number:03}" for number in range(count)]


def test_two_members_share_the_partitions_and_hand_them_over_in_order(
    settings: KafkaSettings, tmp_path: Path
) -> None:
    everything = set(range(settings.partitions))
    with ExitStack() as stack:
        first = stack.enter_context(member(settings, tmp_path / "first"))
        eventually(lambda: first.partitions() == everything)
        second = stack.enter_context(member(settings, tmp_path / "second"))
        eventually(
            lambda: second.partitions() and first.partitions() | second.partitions() == everything
        )
        assert not first.partitions() & second.partitions()
        assert first.partitions()
        publish(settings, numbers(200), sites=40)
        eventually(lambda: len(admitted(settings)) == 200)
    assert admitted(settings) == numbers(200)
    assert set(first.started()).isdisjoint(second.started())
    assert second.started()
    told = [*first.events("assigned"), *second.events("assigned")]
    assert {event.words[-1] for event in told} == {"clean"}


def test_after_a_kill_only_what_was_not_finished_is_handed_in_again_and_once(
    settings: KafkaSettings, tmp_path: Path
) -> None:
    publish(settings, numbers(30))
    slow = ["000", "007"]
    with member(settings, tmp_path / "killed", keyed=True, hang=slow) as killed:
        eventually(lambda: len(admitted(settings)) == 28)
        # What was published last is committed right after.
        time.sleep(1)
        killed.kill()
    with member(settings, tmp_path / "next", keyed=True) as successor:
        eventually(lambda: len(admitted(settings)) == 30)
        time.sleep(1)
    assert successor.started() == slow
    assert admitted(settings) == numbers(30)
    assert successor.events("assigned")[-1].words[-1] == "unclean"


def overlap(sleeper: MemberProcess, successor: MemberProcess) -> bool:
    """Whether the one acted once the other could."""
    taken_over_at = successor.events("acts")[0].at
    return any(event.at >= taken_over_at for event in sleeper.events("acts"))


def test_a_process_that_slept_beyond_its_session_acts_no_more(
    settings: KafkaSettings, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        sleeper = stack.enter_context(member(settings, tmp_path / "sleeper", acts=True))
        eventually(lambda: len(sleeper.events("acts")) > 10)
        sleeper.send(signal.SIGSTOP)
        successor = stack.enter_context(member(settings, tmp_path / "successor", acts=True))
        eventually(lambda: len(successor.events("acts")) > 10)
        sleeper.send(signal.SIGCONT)
        eventually(sleeper.ended)
    assert not overlap(sleeper, successor)
    assert successor.events("assigned")[0].words[-1] == "unclean"


def test_an_idle_member_goes_on_proving_that_it_holds_its_partitions(
    settings: KafkaSettings, tmp_path: Path
) -> None:
    with member(settings, tmp_path / "idle", acts=True) as idle:
        eventually(lambda: idle.events("acts"))
        began = idle.events("acts")[0].at
        eventually(lambda: idle.events("acts")[-1].at > began + 6)
        moments = [event.at for event in idle.events("acts")]
    # Twice the session time-out without a gap that a lost proof would leave.
    assert max(b - a for a, b in itertools.pairwise(moments)) < 1.5


def test_a_zombie_in_the_middle_of_its_batch_publishes_nothing(
    settings: KafkaSettings, tmp_path: Path
) -> None:
    publish(settings, numbers(8))
    with ExitStack() as stack:
        plan = {"transactional": True, "takes": 1.0}
        zombie = stack.enter_context(member(settings, tmp_path / "zombie", **plan))
        eventually(lambda: len(zombie.started()) == 8)
        zombie.send(signal.SIGSTOP)
        successor = stack.enter_context(member(settings, tmp_path / "successor", **plan))
        eventually(lambda: admitted(settings) == numbers(8))
        zombie.send(signal.SIGCONT)
        eventually(zombie.ended)
    assert sorted(successor.started()) == numbers(8)
    assert admitted(settings) == numbers(8)


def test_a_reader_of_committed_messages_sees_no_repeats_across_kills(
    settings: KafkaSettings, tmp_path: Path
) -> None:
    publish(settings, numbers(300), sites=12)
    # The same name after a restart: what the killed one left open is ended at once.
    settings = settings.model_copy(update={"instance": "one"})
    plan = {"transactional": True, "takes": 0.05}
    for kill in range(1, 5):
        with member(settings, tmp_path / f"killed-{kill}", **plan) as killed:
            eventually(lambda k=kill: len(admitted(settings)) >= 40 * k)
            killed.kill()
    with member(settings, tmp_path / "last", **plan):
        eventually(lambda: len(set(admitted(settings))) == 300)
        time.sleep(1)
    assert admitted(settings) == numbers(300)
