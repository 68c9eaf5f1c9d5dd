"""The synthetic web over sockets, in a process of its own."""

import http.client
from pathlib import Path
from urllib.parse import urlsplit

from nephila_testkit.checker import Terms, judge
from nephila_testkit.free_ports import free_tcp_port
from nephila_testkit.web import Reachable, SyntheticWeb, WebShape, reachable, server
from nephila_testkit.web.served import read_log


def shape(**changes: object) -> WebShape:
    knobs = {"hosts": 4, "pages_per_host": 25, "addressing": "address", "slow_page_s": 0.01}
    knobs = {**knobs, "network": 71, "slow_host_s": 0.0, "port": free_tcp_port(), **changes}
    return WebShape(**knobs)  # pyright: ignore[reportArgumentType]


def crawl(urls: list[str]) -> None:
    """A polite robot: robots.txt first, one request at a time, a second try where it is asked for."""
    hosts: dict[str, http.client.HTTPConnection] = {}
    for url in urls:
        parts = urlsplit(url)
        if parts.netloc not in hosts:
            assert parts.hostname is not None
            hosts[parts.netloc] = http.client.HTTPConnection(parts.hostname, parts.port)
            ask(hosts[parts.netloc], "/robots.txt")
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        while ask(hosts[parts.netloc], target) in (0, 429, 503):
            pass
    for connection in hosts.values():
        connection.close()


def ask(connection: http.client.HTTPConnection, target: str) -> int:
    try:
        connection.request("GET", target, headers={"Accept-Encoding": "gzip"})
        answer = connection.getresponse()
        answer.read()
    except (http.client.HTTPException, ConnectionError):
        connection.close()
        return 0
    return answer.status


def test_an_honest_robot_is_found_clean_by_the_log_alone(tmp_path: Path) -> None:
    served = shape(robots_moved=0, retry_after_s=0)
    web = SyntheticWeb(served)
    expected = reachable(web, web.seeds)
    urls = sorted(expected.complete | expected.attempted | expected.sitemaps)
    with server.running(served, tmp_path / "log"):
        crawl(urls)
    report = judge(read_log(tmp_path / "log"), Terms(), expected)
    assert report.is_clean, report.to_json()
    assert report.counts["requests"] > len(urls)


def test_an_impolite_robot_is_found_out_by_the_log_alone(tmp_path: Path) -> None:
    served = shape()
    web = SyntheticWeb(served)
    with server.running(served, tmp_path / "log"):
        crawl([web.seeds[0], f"{web.hosts[0].origin}/private/k1.html", web.seeds[0]])
    report = judge(read_log(tmp_path / "log"), Terms(delay_s=1.0), Reachable({web.seeds[0]}))
    broken = {finding.law for finding in report.broken}
    laws = {"I3 delay by host", "I3 delay by site", "I2 repeats", "I4 robots", "I1 strayed"}
    assert broken == laws


def test_the_endless_web_makes_any_page_from_its_url(tmp_path: Path) -> None:
    served = shape(hosts=2)
    with server.running(served, tmp_path / "log", endless=True):
        crawl([f"{served.origin(0)}/p{number}" for number in (1, 77, 123_456_789)])
    requests = read_log(tmp_path / "log").requests
    assert [request.status for request in requests] == [200] * 4
    assert len({request.sha256 for request in requests}) == 4
