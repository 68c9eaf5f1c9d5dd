"""What the servers are made of is fetched once, whole or not at all."""

import os
from pathlib import Path

import pytest
from nephila_testkit import debian_packages
from nephila_testkit.debian_packages import NotInstalled
from nephila_testkit.servers.cache import cached


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "nephila-servers"


def test_a_second_install_builds_nothing(cache: Path) -> None:
    builds: list[Path] = []

    def build(folder: Path) -> None:
        builds.append(folder)
        (folder / "jar").write_text("here")

    assert cached("kafka-1", build) == cached("kafka-1", build) == cache / "kafka-1"
    assert (cache / "kafka-1" / "jar").read_text() == "here"
    assert len(builds) == 1


def test_a_download_that_fails_leaves_nothing_behind(cache: Path) -> None:
    def torn(folder: Path) -> None:
        (folder / "jar").write_text("he")
        raise NotInstalled("the network is away")

    with pytest.raises(NotInstalled):
        cached("kafka-1", torn)
    assert [entry.name for entry in cache.iterdir()] == ["kafka-1.lock"]


def test_without_root_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(NotInstalled) as told:
        debian_packages.install(["nephila-no-such-package"])
    line = "as root: apt-get install --no-install-recommends nephila-no-such-package"
    assert str(told.value) == line
