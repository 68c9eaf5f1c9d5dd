"""What the crawl remembers, and where.

Each store is a port, in a module named after what it holds, and an implementation that carries its
technology in its name. The SQLite ones ride in the transaction that the host has open: they never begin
or commit one, so what a step wrote and what it told become visible together.

- `url_state`: what is known of each URL; one writing service for each group of columns
  (`sqlite_url_state`, `sqlite_url_fetches`, `sqlite_url_contents`; `sqlite_url_rows` shows whole rows,
  `sqlite_url_counts` counts them).
- `seen_set`: URLs already let through, probably (`memory_seen_set`; `redis_seen_set` of
  `redis_filter`s over `redis_connections`). `refusals`: those that were not.
- `frontier_store`: the frontier's queues on disk (`sqlite_frontier_store`).
- `fingerprints`: which page has this content, or content like it (`sqlite_fingerprints`,
  `simhash_blocks`).
- `page_store`: the archive (`file_warc_store`; `s3_warc_store` with `s3_settings`, `s3_objects`, and
  `s3_orphans`, which alone deletes). `warc_placing`, `warc_records`, `http_head`, `gzip_member`, `cdxj`,
  `surt` and `payload` are its formats, pure.
- `sqlite_verdict_counts`, `sqlite_last_end`: what the command keeps of a crawl's life.
- `append_file`: a file that shows what was committed and nothing else. `line_export` writes a topic to
  one; `page_export` and `link_export` are its lines.

Import from these modules. This package decides nothing about a page or a URL.
"""
