"""Ten ways and more to break the product, and the checks that must notice."""

from dataclasses import dataclass

_FAULTS = "tests/fault/test_simulated_faults.py"
_SIMULATION = "tests/system/test_simulation.py"
CAPRICIOUS = f"{_SIMULATION}::test_a_capricious_web_gets_the_rest_that_it_asks_for"
SURVIVORS = f"{_FAULTS}::test_faults_lose_nothing_and_harm_nobody"
OLDER_STATE = "tests/contract/test_url_state_columns.py"


@dataclass(frozen=True)
class Edit:
    """A text that stands exactly once in a file, and what goes in its place."""

    path: str
    old: str
    new: str


@dataclass(frozen=True)
class Mutation:
    """A broken product, and the test that turns red for it by the law named."""

    name: str
    edits: tuple[Edit, ...]
    check: str
    law: str
    """Must stand in what the test tells: else it is red for another reason."""


_HOST = "libs/runtime/nephila_runtime/embedded_host.py"
_RESTORE = "services/frontier/nephila_frontier/restore.py"
_JUDGE = "services/content_dedup/nephila_content_dedup/judge.py"
_FETCHER = "services/fetcher/nephila_fetcher"

_FLUSHES = """\
            self.log.flush()
            for runner in self._runners:
                runner.intake.flush()
"""

_ADMITTED = """\
                for admission in admissions
            ],
        )
"""

MUTATIONS = (
    Mutation(
        "commit before publish",
        (
            Edit(
                _HOST,
                _FLUSHES,
                """\
            for runner in self._runners:
                runner.intake.flush()
            database.execute("COMMIT")
            self._reach("handled")
            database.execute("BEGIN IMMEDIATE")
            self.log.flush()
""",
            ),
        ),
        SURVIVORS,
        "I1 lost",
    ),
    Mutation(
        "remember before durable",
        (
            # The row of a URL is on disk before what is published because of it ...
            Edit(
                "libs/storage/nephila_storage/sqlite_url_state.py",
                _ADMITTED,
                _ADMITTED
                + """\
        for statement in ("COMMIT", "BEGIN IMMEDIATE", "SAVEPOINT step"):
            self._database.execute(statement)
""",
            ),
            # ... and a row of the message being handled counts as known.
            Edit(
                "services/url_dedup/nephila_url_dedup/admit.py",
                "elif first is None or first == here:",
                "elif first is None:",
            ),
        ),
        SURVIVORS,
        "I1 lost",
    ),
    Mutation(
        "ignore Retry-After",
        (Edit(f"{_FETCHER}/outcome.py", "    return asked or _NO_TIME", "    return _NO_TIME"),),
        CAPRICIOUS,
        "I3 retry-after",
    ),
    Mutation(
        "skip the frontier's delay after a restart",
        (
            Edit(
                _RESTORE,
                "host.due_at = now + max(frontier.timers.delay(host), politeness.ip_interval)",
                "host.due_at = now",
            ),
            Edit(
                _RESTORE,
                "host.site.next_at = now + politeness.site_delay",
                "host.site.next_at = now",
            ),
        ),
        SURVIVORS,
        "I3 delay",
    ),
    Mutation(
        "skip the fetcher's delay after a restart",
        (
            Edit(
                f"{_FETCHER}/held_leases.py",
                "return takeover.at if takeover and record.offset < takeover.end else None",
                "return None",
            ),
        ),
        SURVIVORS,
        "I3 delay",
    ),
    Mutation(
        "lease twice",
        (Edit(_RESTORE, "            if row.out:\n", "            if False:\n"),),
        SURVIVORS,
        "I2 repeats",
    ),
    Mutation(
        "robots fail-open",
        (
            Edit(
                f"{_FETCHER}/ask_robots.py",
                "return self._cache.keep_unreachable(origin, cause, wait)",
                'return self._keep(origin, b"")',
            ),
        ),
        CAPRICIOUS,
        "I4 robots",
    ),
    Mutation(
        "body cut but stored as whole",
        (
            Edit(
                f"{_FETCHER}/exchange.py",
                "        truncation=cut,\n",
                "        truncation=NOT_CUT,\n",
            ),
        ),
        CAPRICIOUS,
        "I5 stored",
    ),
    Mutation(
        "older state wins",
        (
            Edit(
                "libs/storage/nephila_storage/sqlite_url_fetches.py",
                "excluded.fetch_sequence >= fetch_sequence",
                "TRUE",
            ),
            Edit(
                "libs/storage/nephila_storage/sqlite_url_contents.py",
                "excluded.content_sequence >= content_sequence",
                "TRUE",
            ),
        ),
        OLDER_STATE,
        "the_newest_fetch_stands",
    ),
    Mutation(
        "offset off by one",
        (
            Edit(
                "libs/runtime/nephila_runtime/consumer.py",
                "self.positions[partition] = self.watermarks[partition] = watermark\n",
                # Where there is one more, and nothing is finished beyond it: else it would hang.
                "watermark = watermark if finished else min(watermark + 1, log.ends[partition])\n"
                "            self.positions[partition] = self.watermarks[partition] = watermark\n",
            ),
        ),
        SURVIVORS,
        "I1 lost",
    ),
    Mutation(
        "event published twice",
        (
            Edit(
                _JUDGE,
                "        elif attempt.offset == row.offset:\n",
                "        elif attempt.offset >= row.offset:\n",
            ),
        ),
        SURVIVORS,
        "I6 announced twice",
    ),
)
