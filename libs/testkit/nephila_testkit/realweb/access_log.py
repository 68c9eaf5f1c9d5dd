"""nginx's access log as the evidence that the checker reads."""

import json
from pathlib import Path

from nephila_testkit.realweb.sites import by_host, robots_text
from nephila_testkit.web.served import ServedRequest, ServerLog

# nginx tells times to the millisecond, each rounded on its own.
ROUNDING_S = 0.002


def read_access_log(path: Path, since: int = 0) -> ServerLog:
    """The requests from byte `since` of the log on; arrivals are up to `ROUNDING_S` off.

    Bodies are not in the log: `sha256` is left empty.
    """
    with path.open("rb") as log:
        log.seek(since)
        requests = [_request(json.loads(line)) for line in log if line.endswith(b"\n")]
    requests.sort(key=lambda request: request.arrived_s)
    return ServerLog(requests, opened=len({request.connection for request in requests}))


def _request(told: dict[str, object]) -> ServedRequest:
    ended_s = float(str(told["ended"]))
    host, target = str(told["host"]).lower(), str(told["target"])
    is_robots = target == "/robots.txt"
    return ServedRequest(
        connection=int(str(told["connection"])),
        host=host,
        target=target,
        arrived_s=ended_s - float(str(told["took"])),
        ended_s=ended_s,
        status=int(str(told["status"])),
        whole=told["completion"] == "OK",
        role="robots" if is_robots else "page",
        robots=robots_text(by_host(host)) if is_robots else "",
        body_bytes=int(str(told["bytes"])),
        user_agent=str(told["agent"]),
    )
