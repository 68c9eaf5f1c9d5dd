"""The cluster's topics and where a generation begins, as rules."""

from datetime import timedelta
from typing import Any

import pytest
from nephila_contracts import topics
from nephila_runtime.commit_metadata import encode
from nephila_runtime.kafka_positions import (
    AssignmentUneven,
    RecordsLost,
    begin,
    even_partitions,
)
from nephila_runtime.kafka_settings import KafkaSettings
from nephila_runtime.kafka_topics import TopicPlan, differences, plan_topics

SETTINGS = KafkaSettings(prefix="crawl.", partitions=8, replication=3)
PLACE = ("url_due", 3)


def plans() -> dict[str, TopicPlan]:
    return {plan.name: plan for plan in plan_topics(SETTINGS)}


def test_every_topic_of_the_contracts_has_its_dead_letters_beside_it() -> None:
    names = {f"crawl.{t.name}" for t in topics.ALL} | {
        f"crawl.{t.dead_letter_name}" for t in topics.ALL
    }
    assert plans().keys() == names


def test_all_topics_of_a_step_have_one_partition_count() -> None:
    counts = {plan.partitions for name, plan in plans().items() if "crawl_control" not in name}
    assert counts == {8}


def test_compacted_topics_keep_the_last_word_and_others_a_week() -> None:
    found = plans()
    assert found["crawl.crawl_control"].config["cleanup.policy"] == "compact"
    assert "retention.ms" not in found["crawl.importance"].config
    week = str(timedelta(days=7) // timedelta(milliseconds=1))
    assert found["crawl.url_admitted"].config["retention.ms"] == week


def test_one_copy_may_be_lost_and_no_message_with_it() -> None:
    assert {plan.config["min.insync.replicas"] for plan in plans().values()} == {"2"}


def test_a_missing_topic_and_another_count_are_each_one_line() -> None:
    plan = TopicPlan("url_due", 8, 1)
    assert differences([plan], {"url_due": 8}) == []
    (missing,) = differences([plan], {})
    assert "url_due is missing" in missing
    (other,) = differences([plan], {"url_due": 4})
    assert "4 partitions, not 8" in other


def test_a_session_as_long_as_a_turn_is_refused() -> None:
    given: dict[str, Any] = {"session_timeout": timedelta(seconds=30)}
    with pytest.raises(ValueError, match="twice"):
        KafkaSettings(longest_turn=timedelta(seconds=59), **given)


def test_a_partition_that_nobody_held_begins_at_its_start_and_is_clean() -> None:
    progress, clean = begin({PLACE: (-1001, None)}, {PLACE: 4}, {PLACE: 9})
    assert progress[PLACE].watermark == 4
    assert clean


@pytest.mark.parametrize("released", [True, False])
def test_a_partition_is_clean_when_its_last_holder_said_so(released: bool) -> None:
    metadata = encode(5, {7}, released=released)
    progress, clean = begin({PLACE: (5, metadata)}, {PLACE: 0}, {PLACE: 9})
    assert clean is released
    assert [o for o in range(5, 9) if progress[PLACE].take(o)] == [5, 6, 8]


def test_an_offset_that_somebody_else_set_is_unclean() -> None:
    assert not begin({PLACE: (5, "")}, {PLACE: 0}, {PLACE: 9})[1]


@pytest.mark.parametrize(("earliest", "end"), [(6, 9), (0, 4)])
def test_records_that_are_gone_are_an_error(earliest: int, end: int) -> None:
    with pytest.raises(RecordsLost, match=r"url_due\[3\]"):
        begin({PLACE: (5, "1h")}, {PLACE: earliest}, {PLACE: end})


def test_the_same_partitions_are_held_of_every_topic() -> None:
    assert even_partitions([("a", 1), ("b", 1), ("a", 0), ("b", 0)]) == (0, 1)
    assert even_partitions([]) == ()
    with pytest.raises(AssignmentUneven, match="of b than of a"):
        even_partitions([("a", 1), ("b", 2)])
