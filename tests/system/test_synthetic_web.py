"""The product crawls the synthetic web over sockets; the web's own log and DIR are the only witnesses."""

import subprocess
import sys
from pathlib import Path

import pytest
from nephila_testkit.checker import Report, Terms, judge
from nephila_testkit.checker.outputs import read_outputs
from nephila_testkit.free_ports import free_tcp_port, free_udp_port
from nephila_testkit.web import SyntheticWeb, WebShape, dns_server, reachable, server
from nephila_testkit.web.served import read_log

pytestmark = pytest.mark.timeout(120)

DELAY_S = 0.05


def crawl_and_judge(shape: WebShape, into: Path, delay_s: float) -> Report:
    web = SyntheticWeb(shape)
    expected = reachable(web, web.seeds)
    log, dns_port = into / "server.log", free_udp_port()
    zone = dns_server.zone_of(web.addresses())
    with server.running(shape, log), dns_server.running(zone, dns_port):
        crawl(web.seeds[0], shape, into / "crawl", delay_s, dns_port)
    return judge(read_log(log), Terms(delay_s), expected, read_outputs(into / "crawl"))


def crawl(seed: str, shape: WebShape, into: Path, delay_s: float, dns_port: int) -> None:
    command = [Path(sys.executable).with_name("nephila"), "crawl", seed, "--scope", "any"]
    options = ["--into", into, "--delay", str(delay_s), "--json"]
    network = ["--allow-network", f"127.{shape.network}.0.0/16", "--dns", f"127.0.0.1:{dns_port}"]
    run = subprocess.run(
        [*command, *options, *network], capture_output=True, text=True, timeout=100
    )
    assert run.returncode == 0, run.stderr[-2000:] + run.stdout[-2000:]


def test_a_calm_web_is_crawled_whole_each_page_once_and_politely(tmp_path: Path) -> None:
    shape = WebShape(hosts=8, pages_per_host=40, network=72, port=free_tcp_port()).calm()
    report = crawl_and_judge(shape, tmp_path, DELAY_S)
    assert report.is_clean, report.to_json()


def test_a_capricious_web_is_crawled_whole_and_every_retry_after_is_kept(tmp_path: Path) -> None:
    shape = WebShape(
        seed=7,
        hosts=6,
        pages_per_host=6,
        hosts_per_site=1,
        capricious_hosts=50,
        resets=0,
        # Above the product's own first back-off of 5 s: otherwise not obeying would not show.
        retry_after_s=7,
        network=73,
        port=free_tcp_port(),
    )
    report = crawl_and_judge(shape, tmp_path, DELAY_S)
    assert report.is_clean, report.to_json()
