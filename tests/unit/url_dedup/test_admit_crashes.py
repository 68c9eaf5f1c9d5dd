"""Any sequence of batches and crashes admits every URL once, as the frontier counts."""

import asyncio
from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st
from nephila_contracts.v1.url_pb2 import DiscoveredLink, UrlAdmitted, UrlDiscovered
from nephila_runtime import Assignment, Record, Service, SystemClock
from nephila_runtime.database import Database
from nephila_storage.memory_seen_set import MemorySeenSet
from nephila_storage.sqlite_refusals import SqliteRefusalLog
from nephila_storage.sqlite_url_state import SqliteUrlAdmissions
from nephila_url_dedup import Blocklist, Judgement, UrlDedupSettings, build_url_dedup
from nephila_urls import AdmissionRules, Scope, ScopeKind, TrapRules

RULES = AdmissionRules(Scope(ScopeKind.ANY, []), TrapRules(2026), max_depth=2)


@dataclass(frozen=True)
class Turn:
    """One batch: how many messages, and how it ends. `published` emits get out before a crash."""

    messages: int
    crash: str
    published: int


LINKS = st.lists(st.tuples(st.integers(0, 12), st.integers(1, 3)), max_size=5)
TURNS = st.builds(
    Turn,
    st.integers(1, 4),
    st.sampled_from(["none", "none", "before commit", "after rows", "before learning"]),
    st.integers(0, 6),
)


async def started(database: Database) -> Service:
    service = build_url_dedup(
        UrlDedupSettings(recent=4),
        Judgement(RULES, Blocklist().covers),
        SqliteUrlAdmissions(database),
        MemorySeenSet(10),
        SqliteRefusalLog(database),
        SystemClock(),
    )
    await service.assigned(Assignment((0,), clean=False))
    return service


async def play(
    database: Database, records: list[Record[UrlDiscovered]], turns: list[Turn]
) -> list[UrlAdmitted]:
    """All that was ever published, when batches crash as `turns` say and later ones do not."""
    published: list[UrlAdmitted] = []
    service = await started(database)
    position = 0
    turns = [*turns, *[Turn(3, "none", 0)] * len(records)]
    for turn in turns:
        step = service.steps[0]
        batch = records[position : position + turn.messages]
        database.execute("BEGIN")
        handled = await step.handle(batch)
        emits = [emit.message for emit in handled.emits]
        if turn.crash == "before commit":
            database.execute("ROLLBACK")
            service = await started(database)
            continue
        database.execute("COMMIT")
        if turn.crash == "after rows":
            published += emits[: turn.published]
            service = await started(database)
            continue
        published += emits
        position += len(batch)
        if turn.crash == "before learning":
            service = await started(database)
            continue
        await step.after(handled.learned)
        await service.ticks[0].run()
    return published


def as_the_frontier_takes_them(messages: list[UrlAdmitted]) -> list[str]:
    """What is not above the highest origin taken is a copy."""
    taken: list[str] = []
    highest = (-1, -1)
    for message in messages:
        origin = (message.origin.offset, message.origin.index)
        if origin > highest:
            highest = origin
            taken.append(message.url)
    return taken


@given(st.lists(LINKS, max_size=12), st.lists(TURNS, max_size=12))
@settings(max_examples=150, deadline=None)
def test_whatever_crashes_every_url_is_admitted_exactly_once(
    pages: list[list[tuple[int, int]]], turns: list[Turn]
) -> None:
    records = [
        Record(
            0,
            offset,
            "a.test",
            UrlDiscovered(
                site_key="a.test",
                links=[DiscoveredLink(url=f"http://a.test/{n}", depth=depth) for n, depth in links],
            ),
        )
        for offset, links in enumerate(pages)
    ]
    database = Database.in_memory()
    taken = as_the_frontier_takes_them(asyncio.run(play(database, records, turns)))
    database.close()
    wanted = {f"http://a.test/{n}" for links in pages for n, depth in links if depth <= 2}
    assert sorted(taken) == sorted(wanted)
