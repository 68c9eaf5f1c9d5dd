"""Reading a topic whole, outside any group: what the operator said, before anything is done."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition
from google.protobuf.message import DecodeError
from google.protobuf.message import Message as ProtobufMessage
from nephila_contracts import Topic

from nephila_runtime.clock import Clock
from nephila_runtime.kafka_settings import KafkaSettings, client_options

M = TypeVar("M", bound=ProtobufMessage)

_AT_ONCE = 500
_WAIT_S = 0.2
_LOOK_EVERY_S = 0.25
_PATIENCE_S = 30.0


class ControlUnread(Exception):
    """The end of the topic could not be reached, so nobody may act: one line."""


class ControlReader(Generic[M]):
    """Hands every message of a topic to `hear`, in order: `(key, message)`, the message being None where
    the last word about a key was taken back.

    `read_to_end` first; then `follow` runs beside the host. A message that is none is passed to
    `unreadable` and left out: a word that this release does not know must not stop the fleet.
    """

    def __init__(
        self,
        settings: KafkaSettings,
        topic: Topic[M],
        clock: Clock,
        hear: Callable[[str, M | None], None],
        unreadable: Callable[[str], None] = lambda _reason: None,
    ) -> None:
        self._topic = topic
        self._name = settings.name(topic.name)
        self._clock = clock
        self._hear = hear
        self._unreadable = unreadable
        self._unread: set[int] = set()
        self._consumer = Consumer(
            client_options(settings)
            | {
                # Asked for by the client; nothing is committed, so nobody joins it.
                "group.id": f"{self._name}-readers",
                "enable.auto.commit": False,
                "enable.partition.eof": True,
                "auto.offset.reset": "earliest",
            }
        )

    async def read_to_end(self) -> None:
        """Returns once all that stood in the topic has been heard. Raises ControlUnread."""
        try:
            await asyncio.to_thread(self._begin)
            patient_until = self._clock.now() + _PATIENCE_S
            while self._unread:
                self._take(await asyncio.to_thread(self._consumer.consume, _AT_ONCE, _WAIT_S))
                if self._clock.now() >= patient_until:
                    raise ControlUnread(f"{self._name} could not be read to its end")
        except KafkaException as error:
            raise ControlUnread(f"{self._name}: {error.args[0].str()}") from error

    def _begin(self) -> None:
        found = self._consumer.list_topics(self._name, timeout=_PATIENCE_S / 2)
        partitions = sorted(found.topics[self._name].partitions)
        if not partitions:
            raise ControlUnread(f"topic {self._name} is missing: make the topics first")
        self._unread = set(partitions)
        self._consumer.assign([TopicPartition(self._name, p, 0) for p in partitions])

    async def follow(self) -> None:
        """Goes on hearing until it is cancelled. Raises ControlUnread when it cannot."""
        try:
            while True:
                # Nothing waits here: what has come in is taken.
                self._take(self._consumer.consume(_AT_ONCE, 0))
                await self._clock.sleep(_LOOK_EVERY_S)
        except KafkaException as error:
            raise ControlUnread(f"{self._name}: {error.args[0].str()}") from error

    def close(self) -> None:
        self._consumer.close()

    def _take(self, messages: list[Message]) -> None:
        for message in messages:
            error = message.error()
            if error is None:
                self._hear_one(message)
            elif error.code() == KafkaError._PARTITION_EOF:  # pyright: ignore[reportPrivateUsage]
                self._unread.discard(message.partition() or 0)
            else:
                raise KafkaException(error)

    def _hear_one(self, message: Message) -> None:
        value = message.value()
        try:
            key = (message.key() or b"").decode()
            heard = None if value is None else self._topic.message.FromString(value)
        except (DecodeError, UnicodeDecodeError) as error:
            self._unreadable(f"{self._name}, offset {message.offset()}: {error}")
            return
        self._hear(key, heard)
