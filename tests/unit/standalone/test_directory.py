import json
import os
from datetime import timedelta
from ipaddress import ip_network
from pathlib import Path

import pytest
from nephila_standalone.crawl_plan import CrawlPlan
from nephila_standalone.directory import CrawlDirectory, CrawlToRead, DirectoryPaths
from nephila_standalone.directory_lock import holder_of
from nephila_standalone.errors import CannotWrite, DirectoryInUse, OtherCrawl


def plan_for(path: Path) -> CrawlPlan:
    return CrawlPlan(
        seeds=("https://a.org/",),
        into=path,
        delay=timedelta(seconds=0.05),
        allow_networks=(ip_network("127.0.0.0/8"),),
        dns=("127.0.0.1", 5353),
    )


def test_a_directory_gives_its_plan_back(tmp_path: Path) -> None:
    path = tmp_path / "below" / "d"
    with CrawlDirectory.open(path) as directory:
        assert directory.stored_plan() is None
        directory.keep(plan_for(path))
        assert directory.stored_plan() == plan_for(path)
    assert CrawlToRead.open(path).plan == plan_for(path)
    assert sorted(os.listdir(path)) == ["crawl.json", "lock", "warc"]


def test_a_moved_directory_goes_on_where_it_lies(tmp_path: Path) -> None:
    with CrawlDirectory.open(tmp_path / "a") as directory:
        directory.keep(plan_for(tmp_path / "a"))
    (tmp_path / "a").rename(tmp_path / "b")
    assert CrawlToRead.open(tmp_path / "b").plan == plan_for(tmp_path / "b")


def test_one_process_at_a_time_holds_a_directory(tmp_path: Path) -> None:
    with CrawlDirectory.open(tmp_path / "d"):
        with pytest.raises(DirectoryInUse, match=f"in use by process {os.getpid()}"):
            CrawlDirectory.open(tmp_path / "d")
        assert holder_of(tmp_path / "d") == os.getpid()
    assert holder_of(tmp_path / "d") is None
    CrawlDirectory.open(tmp_path / "d").close()


def test_a_making_that_was_cut_short_is_made_whole(tmp_path: Path) -> None:
    path = tmp_path / "d"
    (path / "warc").mkdir(parents=True)
    (path / "lock").write_text("1\n")
    (path / "crawl.json.new").write_text('{"form')
    with CrawlDirectory.open(path) as directory:
        assert directory.stored_plan() is None
        directory.keep(plan_for(path))
    assert CrawlToRead.open(path).plan == plan_for(path)


def test_a_directory_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("x")
    with pytest.raises(OtherCrawl, match="holds other files"):
        CrawlDirectory.open(tmp_path)
    assert os.listdir(tmp_path) == ["thesis.tex"]


def test_a_directory_where_none_can_be_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path in (tmp_path / "file", tmp_path / "file" / "d", Path("/proc/d")):
        with pytest.raises(CannotWrite, match="--into"):
            CrawlDirectory.open(path)
    with pytest.raises(CannotWrite, match=r"too long.*--into"):
        DirectoryPaths(tmp_path / ("d" * 300)).stored_plan()


def test_a_directory_of_another_format_names_who_can_read_it(tmp_path: Path) -> None:
    (tmp_path / "crawl.json").write_text('{"format": 9, "made_by": "nephila 4.2"}')
    with pytest.raises(OtherCrawl, match=r"format 9, .* reads format 1: go on with nephila 4\.2"):
        DirectoryPaths(tmp_path).stored_plan()


@pytest.mark.parametrize("text", ["", "[]", "{", '{"format": 1}', '{"format": 1, "plan": {}}'])
def test_a_damaged_directory_is_told_not_guessed(tmp_path: Path, text: str) -> None:
    (tmp_path / "crawl.json").write_text(text)
    with pytest.raises(OtherCrawl, match="damaged"):
        DirectoryPaths(tmp_path).stored_plan()


def test_rules_changed_by_hand_are_noticed(tmp_path: Path) -> None:
    with CrawlDirectory.open(tmp_path) as directory:
        directory.keep(plan_for(tmp_path))
    content = json.loads((tmp_path / "crawl.json").read_text())
    content["plan"]["scope"] = "any"
    (tmp_path / "crawl.json").write_text(json.dumps(content))
    with pytest.raises(OtherCrawl, match="changed by hand"):
        DirectoryPaths(tmp_path).stored_plan()
