"""Laws of admission: once each, none lost, whatever crashes."""

import asyncio
import random
import re
from collections.abc import Awaitable, Iterator, Sequence
from typing import Any, TypeVar

import pytest
from nephila_contracts.v1.reason_pb2 import (
    REASON_BLOCKLISTED,
    REASON_EXCLUDED,
    REASON_NOT_A_URL,
    REASON_OUT_OF_SCOPE,
    REASON_TOO_DEEP,
)
from nephila_contracts.v1.url_pb2 import (
    DISCOVERY_SOURCE_LINK,
    URL_KIND_SITEMAP,
    DiscoveredLink,
    UrlAdmitted,
    UrlDiscovered,
    UrlHinted,
)
from nephila_runtime import Assignment, Handled, Poison, Record
from nephila_runtime.database import Database
from nephila_storage.memory_seen_set import MemorySeenSet
from nephila_storage.refusals import RefusedUrl
from nephila_storage.seen_set import SeenSet
from nephila_storage.sqlite_refusals import SqliteRefusalLog
from nephila_storage.sqlite_url_state import SqliteUrlAdmissions
from nephila_telemetry.prometheus_recorder import PrometheusRecorder
from nephila_url_dedup import Blocklist, Judgement, UrlDedupSettings, build_url_dedup
from nephila_urls import AdmissionRules, Scope, ScopeKind, TrapRules, canonicalise, url_digest

SEED = canonicalise("http://a.test/docs/")
T = TypeVar("T")
ANYWHERE = AdmissionRules(Scope(ScopeKind.ANY, [SEED]), TrapRules(2026))


async def _completed(awaitable: Awaitable[T]) -> T:
    return await awaitable


def done(awaitable: Awaitable[T]) -> T:
    return asyncio.run(_completed(awaitable))


class StillClock:
    def now(self) -> float:
        return 0.0

    def wall_ms(self) -> int:
        return 1_800_000_000_000

    async def sleep(self, seconds: float) -> None:
        return None


class SaysYes(MemorySeenSet):
    """A seen set as wrong as it may be."""

    async def probably_seen(self, digests: Sequence[bytes]) -> list[bool]:
        return [True] * len(digests)


class Running:
    """url_dedup from its assignment on, on stores that outlive it."""

    def __init__(
        self,
        database: Database,
        rules: AdmissionRules = ANYWHERE,
        blocklist: Blocklist | None = None,
        seen: SeenSet | None = None,
    ) -> None:
        self.metrics = PrometheusRecorder()
        self.seen = seen or MemorySeenSet(1000)
        self.admissions = SqliteUrlAdmissions(database)
        self.refusals = SqliteRefusalLog(database)
        judgement = Judgement(rules, (blocklist or Blocklist()).covers)
        service = build_url_dedup(
            UrlDedupSettings(),
            judgement,
            self.admissions,
            self.seen,
            self.refusals,
            StillClock(),
            self.metrics,
        )
        (self.step,) = service.steps
        (self.tick,) = service.ticks
        done(service.assigned(Assignment((0,), clean=True)))

    def handle(self, *records: Record[UrlDiscovered]) -> Handled:
        """What the step returns; not yet learned."""
        return done(self.step.handle(records))

    def learn(self, handled: Handled) -> None:
        done(self.step.after(handled.learned))

    def take(self, *records: Record[UrlDiscovered]) -> list[Any]:
        """The messages emitted, all committed and learned."""
        handled = self.handle(*records)
        self.learn(handled)
        return [emit.message for emit in handled.emits]

    def admitted(self, *records: Record[UrlDiscovered]) -> list[str]:
        return [message.url for message in self.take(*records) if isinstance(message, UrlAdmitted)]

    def metric(self, name: str) -> float:
        """Of the text that Prometheus reads; 0 when it was never counted."""
        lines = self.metrics.exposition().decode().splitlines()
        return sum(float(line.split()[-1]) for line in lines if line.startswith(name))

    def rows(self) -> int:
        return done(self.admissions.count())


@pytest.fixture
def database() -> Iterator[Database]:
    database = Database.in_memory()
    yield database
    database.close()


def met(*links: DiscoveredLink | str, offset: int = 0, partition: int = 0) -> Record[UrlDiscovered]:
    message = UrlDiscovered(
        site_key="a.test",
        source_url="http://a.test/source",
        source=DISCOVERY_SOURCE_LINK,
        links=[
            DiscoveredLink(url=link, depth=1) if isinstance(link, str) else link for link in links
        ],
    )
    return Record(partition, offset, "a.test", message)


def test_a_new_url_is_admitted_with_all_that_is_known_of_it(database: Database) -> None:
    link = DiscoveredLink(
        url="http://a.test/x",
        kind=URL_KIND_SITEMAP,
        depth=3,
        redirect_hops=2,
        lastmod_unix_ms=5,
        priority=0.5,
    )
    handled = Running(database).handle(met("http://a.test/y", link, offset=7, partition=2))
    emit = handled.emits[1]
    assert (emit.topic.name, emit.key) == ("url_admitted", "a.test")
    message = emit.message
    assert isinstance(message, UrlAdmitted)
    assert (message.url, message.site_key, message.kind) == (
        "http://a.test/x",
        "a.test",
        URL_KIND_SITEMAP,
    )
    assert (message.depth, message.redirect_hops, message.priority) == (3, 2, 0.5)
    assert (message.source, message.source_url) == (DISCOVERY_SOURCE_LINK, "http://a.test/source")
    origin = message.origin
    assert (origin.topic, origin.partition, origin.offset, origin.index) == (
        "url_discovered",
        2,
        7,
        1,
    )


def test_urls_are_admitted_in_the_order_of_their_discovery(database: Database) -> None:
    urls = [f"http://a.test/{number * 7 % 20}" for number in range(20)]
    records = [met(*urls[start : start + 4], offset=start) for start in range(0, 20, 4)]
    messages = Running(database).take(*records)
    assert [message.url for message in messages] == urls
    origins = [(message.origin.offset, message.origin.index) for message in messages]
    assert origins == sorted(origins)


def test_a_url_is_admitted_once_within_a_message_a_batch_and_for_ever(database: Database) -> None:
    dedup = Running(database)
    same = "http://a.test/x"
    assert dedup.admitted(met(same, same, offset=0), met(same, offset=1)) == [same]
    assert dedup.admitted(met(same, offset=2)) == []
    assert Running(database).admitted(met(same, offset=3)) == []
    assert dedup.rows() == 1


def test_other_spellings_of_a_url_are_that_url(database: Database) -> None:
    dedup = Running(database)
    texts = ["HTTP://A.test:80/x#y", "http://a.test/x?utm_source=z", "http://a.test/x"]
    assert dedup.admitted(met(*texts)) == ["http://a.test/x"]
    assert dedup.admitted(met(*texts, offset=1)) == []


def test_a_known_url_is_told_of_only_with_news(database: Database) -> None:
    dedup = Running(database)
    url = "http://a.test/x"
    news = [DiscoveredLink(url=url, again=True), DiscoveredLink(url=url, lastmod_unix_ms=5)]
    assert dedup.admitted(met(url)) == [url]
    for restarted in (dedup, Running(database), Running(database, seen=SaysYes())):
        hints = restarted.take(met(url, *news, offset=1))
        assert all(isinstance(hint, UrlHinted) for hint in hints)
        assert [(hint.url, hint.again, hint.lastmod_unix_ms) for hint in hints] == [
            (url, True, 0),
            (url, False, 5),
        ]


def test_a_message_handled_again_after_a_crash_admits_again(database: Database) -> None:
    """The row was written, the message perhaps never published."""
    record = met("http://a.test/x", "http://a.test/y", "http://a.test/x", offset=4)
    before = Running(database).handle(record)
    again = Running(database).handle(record)
    assert [emit.message for emit in again.emits] == [emit.message for emit in before.emits]
    assert len(before.emits) == 2


def test_another_message_with_the_same_urls_is_no_replay(database: Database) -> None:
    Running(database).handle(met("http://a.test/x", offset=4))
    assert Running(database).handle(met("http://a.test/x", offset=5)).emits == []
    assert Running(database).handle(met("http://a.test/x", offset=4, partition=1)).emits == []


def test_a_batch_whose_transaction_was_undone_is_admitted_when_it_comes_again(
    database: Database,
) -> None:
    dedup = Running(database)
    record = met("http://a.test/x", offset=4)
    database.execute("BEGIN")
    assert len(dedup.handle(record).emits) == 1
    database.execute("ROLLBACK")
    assert dedup.rows() == 0
    assert dedup.admitted(record) == ["http://a.test/x"]
    assert dedup.rows() == 1


def test_a_batch_before_the_learning_of_the_last_one_admits_nothing_twice(
    database: Database,
) -> None:
    dedup = Running(database)
    first = dedup.handle(met("http://a.test/x", offset=0))
    second = dedup.handle(met("http://a.test/x", "http://a.test/y", offset=1))
    assert [emit.message.url for emit in second.emits] == ["http://a.test/y"]
    dedup.learn(first)
    dedup.learn(second)
    assert dedup.admitted(met("http://a.test/x", "http://a.test/y", offset=2)) == []


def test_the_seen_set_learns_nothing_before_it_is_durable(database: Database) -> None:
    dedup = Running(database)
    digest = url_digest(canonicalise("http://a.test/x"))
    handled = dedup.handle(met("http://a.test/x"))
    assert done(dedup.seen.probably_seen([digest])) == [False]
    dedup.learn(handled)
    assert done(dedup.seen.probably_seen([digest])) == [True]


def test_a_seen_set_that_always_says_yes_loses_nothing(database: Database) -> None:
    dedup = Running(database, seen=SaysYes())
    urls = [f"http://a.test/{number}" for number in range(50)]
    assert dedup.admitted(met(*urls[:30])) == urls[:30]
    assert dedup.admitted(met(*urls, offset=1)) == urls[30:]


def test_a_refused_url_leaves_a_count_and_a_sample_and_nothing_else(database: Database) -> None:
    rules = AdmissionRules(
        Scope(ScopeKind.PREFIX, [SEED]), TrapRules(2026), exclude=(re.compile("private"),)
    )
    dedup = Running(database, rules)
    links = [
        "http://a.test/other",
        "http://a.test/docs/private",
        "http://[",
        "http://a.test/docs/x",
    ]
    assert dedup.admitted(met(*links)) == ["http://a.test/docs/x"]
    assert dedup.admitted(met(*links, offset=1)) == []
    assert done(dedup.refusals.counts()) == {
        ("a.test", REASON_OUT_OF_SCOPE): 2,
        ("a.test", REASON_EXCLUDED): 2,
        ("a.test", REASON_NOT_A_URL): 2,
    }
    assert done(dedup.refusals.samples("a.test", REASON_EXCLUDED)) == [
        RefusedUrl("a.test", REASON_EXCLUDED, links[1], "http://a.test/source", 1)
    ]
    assert dedup.rows() == 1


def test_a_lifted_rule_lets_the_url_in(database: Database) -> None:
    strict = AdmissionRules(Scope(ScopeKind.PREFIX, [SEED]), TrapRules(2026))
    assert Running(database, strict).admitted(met("http://a.test/other")) == []
    assert Running(database).admitted(met("http://a.test/other", offset=1)) == [
        "http://a.test/other"
    ]


def test_a_url_refused_for_its_depth_is_admitted_when_found_nearer(database: Database) -> None:
    rules = AdmissionRules(ANYWHERE.scope, ANYWHERE.traps, max_depth=2)
    dedup = Running(database, rules)
    far, near = (DiscoveredLink(url="http://a.test/x", depth=depth) for depth in (3, 2))
    assert dedup.admitted(met(far, offset=0)) == []
    assert dedup.admitted(met(far, near, far, offset=1)) == ["http://a.test/x"]
    assert done(dedup.refusals.counts()) == {("a.test", REASON_TOO_DEEP): 3}


def test_the_blocklist_holds_while_it_holds(database: Database) -> None:
    blocklist = Blocklist(["a.test"])
    dedup = Running(database, blocklist=blocklist)
    assert dedup.admitted(met("http://www.a.test/x")) == []
    assert done(dedup.refusals.counts()) == {("a.test", REASON_BLOCKLISTED): 1}
    blocklist.replace(["www.a.test"])
    assert dedup.admitted(met("http://www.a.test/x", "http://www.a.test:8080/", offset=1)) == []
    blocklist.replace([])
    assert dedup.admitted(met("http://www.a.test/x", offset=2)) == ["http://www.a.test/x"]


def test_a_sitemap_is_let_in_though_the_same_url_was_refused_as_a_page(database: Database) -> None:
    dedup = Running(database, AdmissionRules(Scope(ScopeKind.PREFIX, [SEED]), TrapRules(2026)))
    url = "http://a.test/sitemap.xml"
    assert dedup.admitted(met(url)) == []
    sitemap = DiscoveredLink(url=url, kind=URL_KIND_SITEMAP, depth=9)
    assert dedup.admitted(met(sitemap, offset=1)) == [url]


def test_a_message_without_a_site_key_is_poison_and_changes_nothing(database: Database) -> None:
    dedup = Running(database)
    bad = Record(0, 1, "", UrlDiscovered(links=[DiscoveredLink(url="http://a.test/x")]))
    with pytest.raises(Poison) as caught:
        dedup.handle(met("http://a.test/x"), bad)
    assert caught.value.record is bad
    assert dedup.rows() == 0
    assert dedup.admitted(met("http://a.test/x")) == ["http://a.test/x"]


def test_the_seen_set_grows_from_url_state_without_forgetting(database: Database) -> None:
    seen = MemorySeenSet(100)
    dedup = Running(database, seen=seen)
    urls = [f"http://a.test/{number}" for number in range(300)]
    for offset in range(30):
        assert len(dedup.admitted(met(*urls[offset * 10 : offset * 10 + 10], offset=offset))) == 10
        done(dedup.tick.run())
    done(dedup.tick.run())
    assert not done(seen.crowded())
    digests = [url_digest(canonicalise(url)) for url in urls]
    assert all(done(seen.probably_seen(digests)))
    strangers = [url_digest(canonicalise(f"http://b.test/{number}")) for number in range(1000)]
    assert sum(done(seen.probably_seen(strangers))) < 20


def test_url_state_is_read_for_at_most_a_tenth_of_the_links(database: Database) -> None:
    dedup = Running(database)
    urls = [f"http://a.test/{number}" for number in range(500)]
    chance = random.Random(1)
    for offset in range(200):
        # Mostly the same few, as menus are.
        dedup.take(met(*(urls[int(500 * chance.random() ** 4)] for _ in range(50)), offset=offset))
    assert dedup.metric("nephila_url_dedup_links_total") == 10_000
    assert dedup.metric("nephila_url_dedup_exact_reads_total") <= 1000


def test_every_link_is_counted_by_what_was_decided(database: Database) -> None:
    dedup = Running(database)
    known = "http://a.test/x"
    dedup.take(met(known, "http://["))
    dedup.take(met(known, known, "http://[", "ftp://a.test/", "http://a.test/y", offset=1))
    decided = {
        reason: dedup.metric(f'nephila_url_dedup_decisions_total{{reason="{reason}"}}')
        for reason in ("ADMITTED", "KNOWN", "NOT_A_URL", "SCHEME")
    }
    assert decided == {"ADMITTED": 2, "KNOWN": 2, "NOT_A_URL": 2, "SCHEME": 1}
