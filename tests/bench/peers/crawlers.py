"""The crawlers that are compared: how each is installed in the work folder, and asked for N pages."""

import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench_web import CHECKOUT, SHARED, copy_sources

SEEDS = SHARED / "seeds.txt"
SCRAPY = "scrapy==2.19.0"


@dataclass(frozen=True)
class Crawler:
    """`command` gets the work folder, an empty folder for what it writes, and the number of pages."""

    name: str
    prepare: Callable[[Path], None]
    command: Callable[[Path, Path, int], list[str]]


def _nothing(_work: Path) -> None:
    return None


def _nephila(_work: Path, into: Path, pages: int) -> list[str]:
    options = ["--scope", "any", "--delay", "0", "--allow-network", "127.0.0.0/8", "--workers", "1"]
    command = [str(CHECKOUT / ".venv/bin/nephila"), "crawl", "--seeds", str(SEEDS)]
    return [*command, "--into", str(into), "--pages", str(pages), *options]


def _install_scrapy(work: Path) -> None:
    python = work / "scrapy" / "bin" / "python"
    if python.exists():
        return
    uv = str(CHECKOUT / ".venv/bin/uv")
    ours = str(CHECKOUT / ".venv/bin/python")
    subprocess.run([uv, "venv", "--quiet", "--python", ours, work / "scrapy"], check=True)
    subprocess.run([uv, "pip", "install", "--quiet", "--python", python, SCRAPY], check=True)


def _scrapy(work: Path, _into: Path, pages: int) -> list[str]:
    python, crawl = work / "scrapy/bin/python", SHARED / "peers/scrapy/crawl.py"
    return [str(python), str(crawl), str(pages), str(SEEDS)]


def _build_colly(work: Path) -> None:
    if (work / "colly" / "collybench").exists():
        return
    copy_sources(SHARED / "peers" / "colly", work / "colly")
    subprocess.run(["go", "build", "-o", "collybench", "."], cwd=work / "colly", check=True)


def _colly(work: Path, _into: Path, pages: int) -> list[str]:
    return [str(work / "colly/collybench"), str(pages), str(SEEDS)]


CRAWLERS = (
    Crawler("nephila", _nothing, _nephila),
    Crawler("scrapy", _install_scrapy, _scrapy),
    Crawler("colly", _build_colly, _colly),
)
"""Scrapy and colly parse and follow links; they take no text, hash nothing and store nothing."""
