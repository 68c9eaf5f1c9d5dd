"""Every knob of the parser."""

import os
from datetime import timedelta

from nephila_urls import DEFAULT_RULES, CanonicalRules
from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from nephila_parser.page import ParseLimits


class ParserSettings(BaseSettings):
    """Read once from NEPHILA_PARSER_* and handed down."""

    model_config = SettingsConfigDict(env_prefix="NEPHILA_PARSER_", frozen=True)

    workers: int = Field(default=max(1, min(8, (os.cpu_count() or 1) - 1)), ge=1)
    """Processes: one a core, less one for the process that feeds them; more than 8 never helped one."""
    pages_a_worker: int = Field(default=64, ge=1)
    """Pages under way for each process: one in it, the rest waiting. As many as it can read between two
    turns of the embedded host (150 ms at 2 ms a page): with 4 it idled, and a commit held 4 pages."""
    page_timeout: timedelta = timedelta(seconds=30)
    """Wall time of a page before its process is killed: three times the CPU limit, as the machine may be
    busy."""
    page_cpu_seconds: int = Field(default=10, ge=1)
    """CPU seconds of a page; ordinary ones take 0.002."""
    memory_bytes: int = Field(default=1_500_000_000, ge=200_000_000)
    """Address space of a process, bytes: what a page of 10 MB can make a parser want, twice."""
    page_bytes: int = Field(default=10_000_000, ge=1)
    """Decoded bytes of a page. What is longer is cut and told so."""
    sitemap_bytes: int = Field(default=50_000_000, ge=1)
    """Decoded bytes of a sitemap: sitemaps.org's own limit."""
    sitemap_urls: int = Field(default=50_000, ge=1)
    """URLs of a sitemap: sitemaps.org's own limit."""
    page_links: int = Field(default=10_000, ge=0)
    """Distinct links kept of a page: the most that any honest page has, and a bound on what one can cause."""
    text_chars: int = Field(default=1_000_000, ge=0)
    """Characters of visible text kept of a page."""
    resources: bool = False
    """Images, scripts and style sheets are discovered too: for archives that are to be replayed."""
    follow_nofollow: bool = False
    """Links that a page marks rel=nofollow, or a page marked nofollow, are discovered all the same."""
    recent_links: int = Field(default=1_000_000, ge=1)
    """Links remembered as published lately: 17 bytes each."""
    product_token: str = Field(default="nephila", min_length=1)
    """What `name: directive` in X-Robots-Tag and meta elements is compared with."""

    def limits(self, spelling: CanonicalRules = DEFAULT_RULES) -> ParseLimits:
        """What a parser process is told, with the crawl's spelling of URLs."""
        return ParseLimits(
            decoded_bytes=self.page_bytes,
            sitemap_bytes=self.sitemap_bytes,
            sitemap_urls=self.sitemap_urls,
            links=self.page_links,
            text_chars=self.text_chars,
            resources=self.resources,
            follow_nofollow=self.follow_nofollow,
            product_token=self.product_token,
            cpu_seconds=self.page_cpu_seconds,
            memory_bytes=self.memory_bytes,
            spelling=spelling,
        )
