"""Starts and stops nginx and dnsmasq for the real web."""

import os
import signal
import socket
import subprocess
import time
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import dnslib

from nephila_testkit.realweb import nginx
from nephila_testkit.realweb.sites import SITES

HTTP_PORT = 8066
DNS_PORT = 5355
_PATIENCE_S = 10.0
_PAUSE_S = 0.05


class NotReady(Exception):
    """A server did not come up in time."""


@dataclass(frozen=True, slots=True)
class RealWeb:
    """The servers, whose logs and pid files lie in `directory`."""

    directory: Path
    http_port: int = HTTP_PORT
    dns_port: int = DNS_PORT

    @property
    def access_log(self) -> Path:
        return self.directory / "logs" / "access.log"

    @property
    def networks(self) -> str:
        """What `--allow-network` must name."""
        return "127.66.0.0/16"

    @property
    def dns(self) -> str:
        return f"127.0.0.1:{self.dns_port}"

    def url(self, name: str) -> str:
        """The index of a site."""
        port = "" if self.http_port == 80 else f":{self.http_port}"
        return f"http://{name}{port}/"

    def start(self) -> bool:
        """Starts what does not run yet; whether that was anything."""
        for folder in ("logs", "tmp"):
            (self.directory / folder).mkdir(parents=True, exist_ok=True)
        starts = {"nginx": self._start_nginx, "dnsmasq": self._start_dnsmasq}
        wanted = [program for program in starts if not self._is_running(program)]
        for program in wanted:
            starts[program]()
        return bool(wanted)

    def wait(self) -> None:
        """Returns once every site and the name server answer. Raises NotReady."""
        waits_until = time.monotonic() + _PATIENCE_S
        waiting = [*(site.address for site in SITES), ""]
        while waiting:
            asked = waiting[-1]
            if self._site_answers(asked) if asked else self._names_are_known():
                waiting.pop()
            elif time.monotonic() > waits_until:
                raise NotReady(f"no answer from {asked or 'dnsmasq'}; see {self.directory}/logs")
            else:
                time.sleep(_PAUSE_S)

    def stop(self) -> None:
        """Ends both and returns once they are gone."""
        for program in ("nginx", "dnsmasq"):
            pid = self._is_running(program)
            if pid:
                os.kill(pid, signal.SIGTERM)
                waits_until = time.monotonic() + _PATIENCE_S
                while self._is_running(program) and time.monotonic() < waits_until:
                    time.sleep(_PAUSE_S)
            self._pid_file(program).unlink(missing_ok=True)

    def _start_nginx(self) -> None:
        settings = self.directory / "nginx.conf"
        settings.write_text(nginx.configuration(self.directory, self.http_port))
        errors = self.directory / "logs" / "error.log"
        subprocess.run(["nginx", "-c", settings, "-e", errors], check=True, env=_PATH)

    def _start_dnsmasq(self) -> None:
        """It goes into the background by itself, once it listens."""
        options = [
            "--conf-file=/dev/null",
            "--no-resolv",
            "--no-hosts",
            "--no-poll",
            "--bind-interfaces",
            "--listen-address=127.0.0.1",
            f"--port={self.dns_port}",
            "--cache-size=0",
            "--local-ttl=60",
            f"--pid-file={self._pid_file('dnsmasq')}",
            f"--log-facility={self.directory}/logs/dnsmasq.log",
            # Every other name does not exist; without this dnsmasq answers REFUSED.
            "--address=/#/",
            *(f"--address=/{site.name}/{site.address}" for site in SITES),
        ]
        if os.geteuid() == 0:
            options.append("--user=root")
        subprocess.run(["dnsmasq", *options], check=True, env=_PATH, stdin=subprocess.DEVNULL)

    def _pid_file(self, program: str) -> Path:
        return self.directory / f"{program}.pid"

    def _is_running(self, program: str) -> int:
        """Its pid, or 0. A pid that has gone to another program or to a zombie is not running."""
        try:
            pid = int(self._pid_file(program).read_text())
            status = Path(f"/proc/{pid}/status").read_text()
        except (OSError, ValueError):
            return 0
        fields = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        return pid if fields["Name"] == program and fields["State"][0] != "Z" else 0

    def _site_answers(self, address: str) -> bool:
        try:
            with urllib.request.urlopen(f"http://{address}:{self.http_port}/robots.txt", timeout=1):
                return True
        except OSError:
            return False

    def _names_are_known(self) -> bool:
        query = dnslib.DNSRecord.question(SITES[0].name).pack()
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.settimeout(0.3)
            try:
                asking.sendto(query, ("127.0.0.1", self.dns_port))
                answer = dnslib.DNSRecord.parse(asking.recv(512))
            except (OSError, dnslib.DNSError):
                return False
        return [str(record.rdata) for record in answer.rr] == [SITES[0].address]


# nginx and dnsmasq lie in sbin, which an ordinary user's PATH may lack.
_PATH = {**os.environ, "PATH": f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"}
