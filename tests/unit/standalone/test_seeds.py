import io
from pathlib import Path

import pytest
from nephila_standalone import seeds
from nephila_standalone.errors import BadInput


@pytest.mark.parametrize(
    ("typed", "url"),
    [
        ("example.org", "https://example.org/"),
        ("example.org/a?b", "https://example.org/a?b"),
        ("EXAMPLE.org:8080/x", "https://example.org:8080/x"),
        ("localhost:8080", "https://localhost:8080/"),
        ("127.0.0.1", "https://127.0.0.1/"),
        ("http://127.0.0.1:80", "http://127.0.0.1/"),
        (" https://example.org/#part ", "https://example.org/"),
    ],
)
def test_a_url_is_understood_as_people_type_it(typed: str, url: str) -> None:
    assert seeds.typed_url(typed) == url


@pytest.mark.parametrize(
    "typed",
    [
        "",
        "no url",
        "into",
        "ftp://example.org/",
        "mailto:me@example.org",
        "http://",
        "https://a b/",
    ],
)
def test_what_is_no_url_is_one_fault_with_its_mend(typed: str) -> None:
    with pytest.raises(BadInput) as caught:
        seeds.typed_url(typed)
    (line,) = caught.value.lines()
    assert repr(typed.strip()) in line
    assert line.count("nephila:") == 1


def test_bad_lines_of_a_seed_file_are_told_by_number_and_left_out(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_text(
        "﻿https://a.org/\n\n# a comment\nftp://b.org/\r\nc.org\nhttps://a.org\n", "utf-8"
    )
    found, faults = seeds.seeds_from(["https://first.org/"], str(file))
    assert found == ["https://first.org/", "https://a.org/", "https://c.org/"]
    (line,) = seeds.warnings(faults)
    assert "line 4" in line
    assert "left out" in line


def test_a_wrong_file_is_not_told_line_by_line_for_ever(tmp_path: Path) -> None:
    file = tmp_path / "seeds.txt"
    file.write_bytes(b"\xff\xfe no url\n" * 500)
    found, faults = seeds.seeds_from([], str(file))
    assert found == []
    told = list(seeds.warnings(faults))
    assert len(told) == 21
    assert "480 more lines" in told[-1]
    assert all(line.isprintable() for line in told)


def test_seeds_are_read_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("a.org\nb.org\n"))
    assert seeds.seeds_from([], "-")[0] == ["https://a.org/", "https://b.org/"]


def test_a_seed_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot read the seed file .*absent"):
        seeds.seeds_from([], str(tmp_path / "absent"))


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("https://docs.example.org/x", "docs.example.org"),
        ("http://127.0.0.1:8080/", "127.0.0.1_8080"),
        ("http://[::1]:8080/", "1__8080"),
    ],
)
def test_the_default_directory_is_named_by_the_host(url: str, name: str) -> None:
    assert str(seeds.default_directory(url)) == f"crawls/{name}"


def test_no_host_name_leads_out_of_the_folder_of_crawls() -> None:
    for host in ("..", "...", "a..b", "xn--p1ai", "_"):
        try:
            directory = seeds.default_directory(seeds.typed_url(f"http://{host}/"))
        except BadInput:
            continue
        assert directory.parent.name == "crawls"
        assert not directory.name.startswith(".")
