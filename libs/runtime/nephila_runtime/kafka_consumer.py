"""A member of a consumer group, in a thread of its own.

Everything that the client does for the group (fetching, commits, rebalances) is done by this one thread,
so a commit that succeeds also shows that rebalances are being answered. A rebalance waits in it, still
serving commits, until the host has answered.
"""

import asyncio
import queue
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

from nephila_runtime.clock import Clock
from nephila_runtime.flow_control import FlowControl
from nephila_runtime.group_events import (
    Event,
    Given,
    Left,
    Question,
    RawRecord,
    TakenAway,
)
from nephila_runtime.kafka_positions import held_offsets, take_hold
from nephila_runtime.kafka_settings import KafkaSettings, consumer_options
from nephila_runtime.liveness import Liveness

_MOST_AT_ONCE = 500
# Nothing wakes the client's own waiting, so it is short: a commit waits for half of it on average.
_FETCH_WAIT_S = 0.02
_COMMAND_WAIT_S = 0.005
# A broker that is away or has just come back: the commit is tried again until the session is over.
_PASSING = frozenset(
    {
        KafkaError._TRANSPORT,  # pyright: ignore[reportPrivateUsage]
        KafkaError._TIMED_OUT,  # pyright: ignore[reportPrivateUsage]
        KafkaError._WAIT_COORD,  # pyright: ignore[reportPrivateUsage]
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.NETWORK_EXCEPTION,
        KafkaError.NOT_COORDINATOR,
        KafkaError.COORDINATOR_NOT_AVAILABLE,
        KafkaError.COORDINATOR_LOAD_IN_PROGRESS,
    }
)


class AssignmentLost(Exception):
    """The group took the partitions away without asking: this process was not heard of for too long."""


class _Abandoned(Exception):
    """The host's run has failed; nothing more is committed."""


class KafkaConsumer:
    """Told by the event loop that it is started in; tells it through `listener` and `arrived`."""

    def __init__(
        self,
        settings: KafkaSettings,
        group: str,
        topics: Sequence[str],
        clock: Clock,
        liveness: Liveness,
        listener: Callable[[Event], None],
        wake: Callable[[], None],
    ) -> None:
        self._settings = settings
        self._topics = list(topics)
        self._clock = clock
        self._liveness = liveness
        self._listener = listener
        self._wake = wake
        self._consumer = Consumer(
            consumer_options(settings, group) | {"error_cb": self._client_error}
        )
        self._commands: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._later: list[Callable[[], None]] = []
        """Commits to be tried again."""
        self._closing = False
        self._abandoned = False
        self._failure: BaseException | None = None
        self._flow = FlowControl(settings, self._consumer, clock)
        self._thread = threading.Thread(target=self._run, name=f"{group}-consumer", daemon=True)
        self.arrived: deque[list[RawRecord]] = deque()
        """Filled by the thread; emptied by the host."""
        self.in_turn = False
        """The host is about to commit: the thread waits for that rather than for records."""

    # Called by the event loop -----------------------------------------------------------------

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._thread.start()

    async def commit(self, offsets: Sequence[TopicPartition]) -> float:
        """Commits; answers when it was sent, on the clock. Raises KafkaException."""
        done: asyncio.Future[float] = self._loop.create_future()
        give_up_at = self._clock.now() + self._settings.session_timeout.total_seconds()
        self._commands.put(partial(self._commit, list(offsets), done, give_up_at))
        return await done

    def close(self) -> None:
        """Asks the thread to leave the group: TakenAway follows, then Left."""
        self._commands.put(self._begin_closing)

    def abandon(self) -> None:
        """The run has failed: the thread ends without committing anything more."""
        self._abandoned = True
        self._commands.put(_nothing)

    def join(self, seconds: float) -> None:
        """Waits for the thread's end, if it ever began."""
        if self._thread.ident is None:
            self._consumer.close()
        else:
            self._thread.join(seconds)

    # The thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        error: BaseException | None = None
        try:
            self._consumer.subscribe(
                self._topics,
                on_assign=self._guarded(self._given),
                on_revoke=self._guarded(self._taken),
                on_lost=self._lost,
            )
            while not self._closing:
                self._serve()
                self._flow.balance()
                self._fetch()
        except BaseException as raised:
            self._abandoned = True
            error = raised
        try:
            self._consumer.close()
        except BaseException as raised:
            error = error or raised
        self._tell(Left(error or self._failure))

    def _serve(self) -> None:
        """Runs the commands that wait; in a turn, waits for one a little."""
        if self._abandoned:
            raise _Abandoned
        later, self._later = self._later, []
        for command in later:
            command()
        try:
            if self.in_turn or self._flow.is_full:
                self._commands.get(timeout=_COMMAND_WAIT_S)()
            while True:
                self._commands.get_nowait()()
        except queue.Empty:
            return

    def _fetch(self) -> None:
        if self._flow.is_full:
            return
        consumer = self._consumer
        found = consumer.consume(_MOST_AT_ONCE, 0)
        if not found and not self.in_turn and not self._closing and self._failure is None:
            found = consumer.consume(1, _FETCH_WAIT_S)
            if found:
                found += consumer.consume(_MOST_AT_ONCE, 0)
        if self._failure is not None:
            raise self._failure
        if found:
            self.arrived.append([self._raw(message) for message in found])
            self._loop.call_soon_threadsafe(self._wake)

    def _raw(self, message: Message) -> RawRecord:
        if (error := message.error()) is not None:
            raise KafkaException(error)
        topic, value = message.topic() or "", message.value()
        self._flow.came_in(topic, len(value or b""))
        return topic, message.partition() or 0, message.offset() or 0, message.key(), value

    def _commit(
        self, offsets: list[TopicPartition], done: "asyncio.Future[float]", give_up_at: float
    ) -> None:
        sent_at = self._clock.now()
        try:
            self._commit_now(offsets)
        except KafkaException as error:
            if error.args[0].code() in _PASSING and sent_at < give_up_at:
                self._later.append(partial(self._commit, offsets, done, give_up_at))
            else:
                self._loop.call_soon_threadsafe(_fail, done, error)
        else:
            self._loop.call_soon_threadsafe(_resolve, done, sent_at)

    def _commit_now(self, offsets: list[TopicPartition]) -> None:
        for committed in self._consumer.commit(offsets=offsets, asynchronous=False):
            if committed.error is not None:
                raise KafkaException(committed.error)

    def _begin_closing(self) -> None:
        self._closing = True

    # Rebalances, in the thread ----------------------------------------------------------------

    def _guarded(
        self, callback: Callable[[Consumer, list[TopicPartition]], None]
    ) -> Callable[[Consumer, list[TopicPartition]], None]:
        """Keeps what a callback raises for after the client's call, which would garble it."""

        def guarded(consumer: Consumer, partitions: list[TopicPartition]) -> None:
            try:
                callback(consumer, partitions)
            except BaseException as error:
                self._failure = self._failure or error

        return guarded

    def _given(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        held = take_hold(consumer, partitions, self._topics)
        offsets = held_offsets(held)
        # The mark of a holder goes before all that it does: without it a successor would think that
        # nobody was here.
        sent_at = self._clock.now()
        if offsets:
            self._commit_now(offsets)
            self._liveness.proved(sent_at)
        self._flow.begin(held.flows, partitions)
        consumer.assign(
            [TopicPartition(t, p, held.progress[t, p].watermark) for t, p in held.progress]
        )
        question = Question(partial(self._commands.put, _nothing))
        self._ask(Given(held, question), question)

    def _taken(self, _consumer: Consumer, _partitions: list[TopicPartition]) -> None:
        # From here on the group waits for us, but no longer than `longest_turn`.
        self._liveness.ended()
        if self._abandoned:
            return
        question = Question(partial(self._commands.put, _nothing))
        self._ask(TakenAway(question), question)

    def _lost(self, _consumer: Consumer, _partitions: list[TopicPartition]) -> None:
        self._liveness.ended()
        self._failure = self._failure or AssignmentLost("the group gave the partitions to others")
        self._abandoned = True

    def _ask(self, event: Event, question: Question) -> None:
        self._tell(event)
        while not question.answered:
            self._serve()
            with suppress(queue.Empty):
                self._commands.get(timeout=_FETCH_WAIT_S)()

    def _tell(self, event: Event) -> None:
        try:
            self._loop.call_soon_threadsafe(self._listener, event)
        except RuntimeError:
            # The loop is closed: nobody is left to be told.
            self._abandoned = True

    def _client_error(self, error: KafkaError) -> None:
        refused = (
            KafkaError._AUTHENTICATION,  # pyright: ignore[reportPrivateUsage]
            KafkaError.TOPIC_AUTHORIZATION_FAILED,
            KafkaError.GROUP_AUTHORIZATION_FAILED,
        )
        if error.fatal() or error.code() in refused:
            self._failure = self._failure or KafkaException(error)


def _nothing() -> None:
    return


def _resolve(done: "asyncio.Future[float]", sent_at: float) -> None:
    if not done.done():
        done.set_result(sent_at)


def _fail(done: "asyncio.Future[float]", error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
