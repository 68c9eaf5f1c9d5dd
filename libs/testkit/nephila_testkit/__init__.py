"""What the tests stand on: webs, servers, faults and judges. For development only.

`web` is a synthetic web made of a seed, served in one loop or over sockets, whose every answer is
known beforehand. `realweb` serves thousands of real pages behind servers that nobody here wrote.
`checker` judges a crawl from outside, by the servers' logs and what lies on disk. `conformance` holds
the suites that every implementation of a port must pass. `shared_data` finds conformance data beside
the checkout. `servers` installs and runs Kafka, Cassandra, Redis, S3 and OpenSearch without containers;
`child_process` runs servers of our own, `free_ports` finds all of them a place.

`web`, `realweb` and `checker` use no code of the services and none of `nephila_urls`: what judges the
product must not share its mistakes.
"""
