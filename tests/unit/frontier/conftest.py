"""Crawls that are closed at the end of a test."""

from collections.abc import Iterator

import pytest
from frontier_crawls import Crawls


@pytest.fixture
def crawls() -> Iterator[Crawls]:
    made = Crawls()
    yield made
    for crawl in made.made:
        crawl.close()
