"""`python -m nephila_testkit.realweb install|start|wait|stop DIR`."""

import argparse
import subprocess
import sys
from pathlib import Path

from nephila_testkit import debian_packages
from nephila_testkit.realweb.servers import DNS_PORT, HTTP_PORT, NotReady, RealWeb
from nephila_testkit.realweb.sites import PACKAGES, SITES


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m nephila_testkit.realweb")
    parser.add_argument("command", choices=("install", "start", "wait", "stop"))
    parser.add_argument("directory", type=Path, help="for logs and pid files")
    parser.add_argument("--http-port", type=int, default=HTTP_PORT)
    parser.add_argument("--dns-port", type=int, default=DNS_PORT)
    given = parser.parse_args()
    web = RealWeb(given.directory.resolve(), given.http_port, given.dns_port)
    try:
        _run(given.command, web)
    except (debian_packages.NotInstalled, NotReady) as fault:
        print(fault, file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as fault:
        print(f"{fault.cmd[0]} ended with {fault.returncode}", file=sys.stderr)
        return 1
    return 0


def _run(command: str, web: RealWeb) -> None:
    if command == "install":
        debian_packages.install(PACKAGES)
    elif command == "start":
        web.start()
    elif command == "wait":
        web.wait()
        print(f"names from {web.dns}:")
        for site in SITES:
            print(f"  {web.url(site.name)}")
    else:
        web.stop()


if __name__ == "__main__":
    sys.exit(main())
