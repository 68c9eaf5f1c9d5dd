"""How much of each topic waits in memory between the client's thread and the steps."""

from collections.abc import Mapping, Sequence

from confluent_kafka import Consumer, TopicPartition

from nephila_runtime.clock import Clock
from nephila_runtime.group_events import Flow
from nephila_runtime.kafka_settings import KafkaSettings

# For so long nothing more is asked for. Pausing throws away what the client has fetched ahead, and the next
# records take up to fetch.wait.max.ms: done at once, 2,400 records a second came in instead of 19,000.
_LONGEST_HOLD_S = 0.5


class FlowControl:
    """Used by the consumer's thread alone; the steps' side is each Flow's `out` counters."""

    def __init__(self, settings: KafkaSettings, consumer: Consumer, clock: Clock) -> None:
        self._most = settings.intake_records
        self._most_bytes = settings.intake_bytes
        self._consumer = consumer
        self._clock = clock
        self._flows: Mapping[str, Flow] = {}
        self._partitions: dict[str, list[TopicPartition]] = {}
        self._full_since: float | None = None

    def begin(self, flows: Mapping[str, Flow], partitions: Sequence[TopicPartition]) -> None:
        """A generation begins, by topic."""
        self._flows = flows
        self._partitions = {t: [p for p in partitions if p.topic == t] for t in flows}
        self._full_since = None

    @property
    def is_full(self) -> bool:
        """A topic has enough in memory, and is not paused yet: no record is to be asked for."""
        return self._full_since is not None

    def came_in(self, topic: str, size: int) -> None:
        flow = self._flows[topic]
        flow.records_in += 1
        flow.bytes_in += size

    def balance(self) -> None:
        """Takes up paused topics of which half is gone, and pauses those that stay full."""
        full: list[str] = []
        for topic, flow in self._flows.items():
            records, size = flow.records(), flow.bytes()
            if not flow.paused and (records >= self._most or size >= self._most_bytes):
                full.append(topic)
            elif flow.paused and records <= self._most // 2 and size <= self._most_bytes // 2:
                self._consumer.resume(self._partitions[topic])
                flow.paused = False
        now = self._clock.now()
        if not full:
            self._full_since = None
        elif self._full_since is None:
            self._full_since = now
        elif now - self._full_since >= _LONGEST_HOLD_S:
            self._pause(full)

    def _pause(self, topics: Sequence[str]) -> None:
        for topic in topics:
            self._consumer.pause(self._partitions[topic])
            self._flows[topic].paused = True
        self._full_since = None
