"""The command `nephila`: every service in one process tree on one machine.

`nephila crawl URL` reads like this. `cli` takes the words of the command line and hands them to
`crawl_command`; `plan_options` turns them into a `CrawlPlan`, one line for each fault; `directory`
makes or opens DIR, locks it, and holds it to the plan that it was begun with; `pipeline` hosts the
services on the embedded log, `assembly` wires them for a run and `drive` takes that to its end, telling
`Progress` meanwhile; `live_view`, `plain_view` or `json_view` shows it, and `summary` says at the end
what was done and how to go on. What comes from outside (time, the network, parsers) is `surroundings`.

`nephila status`, `explain` and `pages` (`inspect_status`, `inspect_url`, `inspect_pages`) look at a DIR
without its lock, also while a crawl is running: they never write.

Whatever a person can put right is a `CrawlError`: one line with the fault and the mend, and an exit
code of `exit_codes`. Anything else is a bug of ours, and shows its traceback.

This is the only package that imports services. It decides nothing about URLs, hosts or pages.
"""
