"""Java programs: their jars by Maven, the JDK that runs them, and what all of them are told."""

import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from nephila_testkit import debian_packages
from nephila_testkit.debian_packages import NotInstalled
from nephila_testkit.servers.cache import cached

# Kafka 4, Cassandra 5 and OpenSearch 2 all run on it; Cassandra 5 on nothing newer.
_JDK = 17
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"


def jars(name: str, coordinates: Sequence[str]) -> Path:
    """A cached folder of all jars that the coordinates (`group:artifact:version`) need."""
    pom = _pom(coordinates)
    digest = hashlib.sha256(pom.encode()).hexdigest()[:12]

    def build(folder: Path) -> None:
        if shutil.which("mvn") is None:
            debian_packages.install(["maven"])
        project = folder / "pom.xml"
        project.write_text(pom)
        # -C: a wrong checksum ends it. The plugin wants an absolute folder.
        maven = ["mvn", "-q", "-B", "-C", "-f", str(project), _COPY]
        _run([*maven, "-DincludeScope=runtime", f"-DoutputDirectory={folder}"])

    return cached(f"{name}-{digest}", build)


def compiled(source: Path, library: Path) -> Path:
    """A cached folder with the classes of one source file."""
    digest = hashlib.sha256(source.read_bytes() + library.name.encode()).hexdigest()[:12]

    def build(folder: Path) -> None:
        compiler = str(jdk() / "bin" / "javac")
        _run([compiler, "-nowarn", "-d", str(folder), "-cp", f"{library}/*", str(source)])

    return cached(f"{source.stem}-{digest}", build)


def jdk() -> Path:
    """The home of a JDK 17, installed where there is none. Raises NotInstalled."""
    found = next(_jdks(), None)
    if found is None:
        debian_packages.install([f"openjdk-{_JDK}-jdk-headless"])
        found = next(_jdks(), None)
    if found is None:
        raise NotInstalled(f"no JDK {_JDK} found: set JAVA_HOME to one")
    return found


def program(heap: str, options: Sequence[str], classpath: Sequence[str], main: str) -> list[str]:
    """The command of a server: its heap starts small and may grow to `heap`."""
    common = ["-Xms64m", f"-Xmx{heap}", "-XX:+ExitOnOutOfMemoryError", "-Djava.awt.headless=true"]
    # The file of hsperfdata is a write to disk at every garbage collection.
    common += ["-XX:+PerfDisableSharedMem", "-Djava.net.preferIPv4Stack=true"]
    return [str(jdk() / "bin" / "java"), *common, *options, "-cp", ":".join(classpath), main]


def _jdks() -> Iterator[Path]:
    compiler = shutil.which("javac")
    homes = [Path(home) for home in [os.environ.get("JAVA_HOME")] if home]
    homes += sorted(Path("/usr/lib/jvm").glob(f"*{_JDK}*"))
    homes += [Path(compiler).resolve().parent.parent] if compiler else []
    return (home for home in homes if (home / "bin" / "javac").exists() and _major(home) == _JDK)


def _major(home: Path) -> int:
    try:
        told = re.search(r'^JAVA_VERSION="(\d+)', (home / "release").read_text(), re.MULTILINE)
    except OSError:
        return 0
    return int(told[1]) if told else 0


def _pom(coordinates: Sequence[str]) -> str:
    dependencies = "\n".join(_dependency(*line.split(":")) for line in coordinates)
    return f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>nephila.testkit</groupId>
  <artifactId>server-jars</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""


def _dependency(group: str, artifact: str, version: str) -> str:
    return (
        f"    <dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version></dependency>"
    )


def _run(command: Sequence[str]) -> None:
    ended = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ended.returncode:
        said = "\n".join(ended.stdout.splitlines()[-20:])
        raise NotInstalled(f"{command[0]} ended with {ended.returncode}:\n{said}")
