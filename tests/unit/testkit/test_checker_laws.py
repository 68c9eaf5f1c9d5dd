"""The checker proved: an honest log is clean, and each doctored one turns its own law red."""

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256

import pytest
from nephila_testkit.checker import Report, Terms, judge
from nephila_testkit.checker.outputs import Event, Outputs, StoredRecord
from nephila_testkit.web import Reachable, ServedRequest
from nephila_testkit.web.served import ServerLog

ROBOTS = "User-agent: *\nDisallow: /private/\n"
DELAY_S = 0.5
HOST, SISTER = "h0.site0.test", "h1.site0.test"


def body_of(target: str) -> str:
    return sha256(target.encode()).hexdigest()


def request(target: str, at: float, host: str = HOST, **changes: object) -> ServedRequest:
    told = ServedRequest(1, host, target, at, at + 0.1, 200, True, body_of(target))
    if target == "/robots.txt":
        told = replace(told, role="robots", robots=ROBOTS)
    return replace(told, **changes)  # pyright: ignore[reportArgumentType]


class Crawl:
    """An honest crawl of three pages of one host and one of its sister, to be doctored."""

    def __init__(self) -> None:
        self.log = ServerLog([], opened=2, most_open=2)
        for number, target in enumerate(("/robots.txt", "/", "/a", "/b")):
            self.log.requests.append(request(target, number * 0.7))
        self.log.requests.append(request("/robots.txt", 2.8, SISTER))
        self.log.requests.append(request("/c", 3.5, SISTER))
        urls = [told.url for told in self.log.requests if told.role == "page"]
        self.expected = Reachable(complete=set(urls))
        self.outputs = Outputs()
        for number, url in enumerate(urls):
            digest = body_of("/" + url.split("/", 3)[3])
            key = f"a.warc.gz:{number * 100}:100"
            self.outputs.records.append(StoredRecord("response", url, key, digest, 200))
            self.outputs.events.append(Event(url, "new", digest, key, f"0.{number}", ""))
        self.terms = Terms(DELAY_S)

    def judge(self) -> Report:
        return judge(self.log, self.terms, self.expected, self.outputs)

    @property
    def last(self) -> ServedRequest:
        return self.log.requests[-1]

    def append(
        self, target: str, after_s: float = 0.6, host: str = SISTER, **changes: object
    ) -> None:
        assert self.last.ended_s is not None
        self.log.requests.append(request(target, self.last.ended_s + after_s, host, **changes))


def lose_a_url(crawl: Crawl) -> None:
    crawl.expected.complete.add(f"http://{HOST}/never-asked")


def cut_every_answer_of_a_url(crawl: Crawl) -> None:
    crawl.last.whole = False


def never_try_a_fickle_url(crawl: Crawl) -> None:
    crawl.expected.attempted.add(f"http://{HOST}/fickle")


def stray(crawl: Crawl) -> None:
    crawl.append("/unheard-of")


def repeat(crawl: Crawl) -> None:
    crawl.append("/c")


def overlap(crawl: Crawl) -> None:
    crawl.append("/c", after_s=-0.05)


def hurry(crawl: Crawl) -> None:
    crawl.append("/c", after_s=DELAY_S - 0.02)


def hurry_to_a_sister(crawl: Crawl) -> None:
    crawl.append("/b", after_s=0.1, host=HOST)


def ignore_retry_after(crawl: Crawl) -> None:
    crawl.append("/d", status=503, asked_wait_s=3.0)
    crawl.append("/d", after_s=2.9)


def ask_before_robots(crawl: Crawl) -> None:
    crawl.append("/", host="h2.site2.test")


def ask_what_is_disallowed(crawl: Crawl) -> None:
    crawl.append("/private/x")


def ask_while_robots_fails(crawl: Crawl) -> None:
    crawl.append("/robots.txt", status=503)
    crawl.append("/d")


def ask_by_rules_of_yesterday(crawl: Crawl) -> None:
    crawl.append("/d", after_s=25 * 3600)


def store_other_bytes(crawl: Crawl) -> None:
    crawl.outputs.records[0].sha256 = "0" * 64


def store_a_cut_body_as_whole(crawl: Crawl) -> None:
    crawl.log.requests[1].whole = False


def announce_other_bytes(crawl: Crawl) -> None:
    crawl.outputs.events[0].content_hash = "0" * 64


def break_a_digest(crawl: Crawl) -> None:
    crawl.outputs.records[0].fault = "a WARC digest does not fit"


def break_a_file(crawl: Crawl) -> None:
    crawl.outputs.unreadable.append("b.warc.gz: broken")


def revisit_another_body(crawl: Crawl) -> None:
    revisit = StoredRecord("revisit", f"http://{HOST}/b", "a.warc.gz:900:50")
    revisit.profile = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
    revisit.refers_to = f"http://{HOST}/a"
    crawl.outputs.records.append(revisit)


def forget_to_store(crawl: Crawl) -> None:
    del crawl.outputs.records[-1]


def forget_to_announce(crawl: Crawl) -> None:
    del crawl.outputs.events[-1]


def announce_twice(crawl: Crawl) -> None:
    crawl.outputs.events.append(crawl.outputs.events[-1])


def point_nowhere(crawl: Crawl) -> None:
    crawl.outputs.events[0].storage_key = "a.warc.gz:7:100"


def open_too_many(crawl: Crawl) -> None:
    crawl.log.most_open = 20_000


FAULTS: list[tuple[Callable[[Crawl], None], str]] = [
    (lose_a_url, "I1 lost"),
    (cut_every_answer_of_a_url, "I1 lost"),
    (never_try_a_fickle_url, "I1 lost"),
    (stray, "I1 strayed"),
    (repeat, "I2 repeats"),
    (overlap, "I3 at a time"),
    (hurry, "I3 delay by host"),
    (hurry_to_a_sister, "I3 delay by site"),
    (ignore_retry_after, "I3 retry-after"),
    (ask_before_robots, "I4 robots"),
    (ask_what_is_disallowed, "I4 robots"),
    (ask_while_robots_fails, "I4 robots"),
    (ask_by_rules_of_yesterday, "I4 robots"),
    (store_other_bytes, "I5 stored"),
    (store_a_cut_body_as_whole, "I5 stored"),
    (announce_other_bytes, "I5 stored"),
    (break_a_digest, "I5 stored"),
    (break_a_file, "I5 stored"),
    (revisit_another_body, "I5 stored"),
    (forget_to_store, "I5 unstored"),
    (forget_to_announce, "I6 unannounced"),
    (announce_twice, "I6 announced twice"),
    (point_nowhere, "I6 storage key"),
    (open_too_many, "I7 connections"),
]


def test_an_honest_crawl_is_clean() -> None:
    report = Crawl().judge()
    assert report.is_clean, report.to_json()


@pytest.mark.parametrize(("fault", "law"), FAULTS, ids=lambda value: getattr(value, "__name__", ""))
def test_each_fault_turns_its_law_red(fault: Callable[[Crawl], None], law: str) -> None:
    crawl = Crawl()
    fault(crawl)
    report = crawl.judge()
    assert report[law].violations, report.to_json()


def test_every_law_has_a_fault_that_turns_it_red() -> None:
    laws = {finding.law for finding in Crawl().judge().findings}
    assert laws == {law for _, law in FAULTS}


def test_a_gap_ten_milliseconds_short_is_granted() -> None:
    crawl = Crawl()
    crawl.append("/robots.txt", after_s=DELAY_S - 0.009)
    assert crawl.judge().is_clean


def test_repeats_are_granted_up_to_what_was_in_flight_at_the_kills() -> None:
    crawl = Crawl()
    repeat(crawl)
    crawl.terms = Terms(DELAY_S, kills=1, repeats_allowed=1)
    assert crawl.judge().is_clean
    repeat(crawl)
    assert crawl.judge()["I2 repeats"].violations


def test_a_failure_that_is_tried_again_is_no_repeat() -> None:
    crawl = Crawl()
    crawl.expected.complete.add(f"http://{SISTER}/d")
    crawl.append("/d", status=503, sha256="")
    crawl.append("/d", status=404, sha256="")
    assert crawl.judge().is_clean, crawl.judge().to_json()


def test_a_body_marked_as_truncated_may_differ() -> None:
    crawl = Crawl()
    crawl.outputs.records[0].sha256 = "0" * 64
    crawl.outputs.records[0].truncated = "length"
    assert crawl.judge()["I5 stored"].violations == 0


def test_a_near_duplicate_may_be_told_of_without_being_stored() -> None:
    crawl = Crawl()
    crawl.outputs.records[-1].kind = "metadata"
    crawl.outputs.events[-1].verdict = "alias"
    assert crawl.judge()["I5 unstored"].violations == 0


def test_after_a_redirect_of_robots_txt_its_target_decides() -> None:
    crawl = Crawl()
    host = "h2.site2.test"
    crawl.append("/robots.txt", host=host, status=301, robots="", location="/rules.txt")
    crawl.append("/rules.txt", host=host, role="robots", robots=ROBOTS)
    crawl.append("/private/x", host=host)
    crawl.append("/fine", host=host)
    assert crawl.judge()["I4 robots"].examples == [
        f"http://{host}/private/x although it is disallowed"
    ]
