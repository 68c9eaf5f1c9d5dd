"""The plan's rules in the words of nephila_urls: for url_dedup, and for `explain` to ask again."""

from nephila_urls import AdmissionRules, Scope, TrapRules, canonicalise

from nephila_standalone.crawl_plan import CrawlPlan


def admission_rules(plan: CrawlPlan, this_year: int) -> AdmissionRules:
    """What the plan lets in. `this_year` places the calendar that traps are told by."""
    return AdmissionRules(
        scope=Scope(plan.scope, map(canonicalise, plan.seeds)),
        traps=TrapRules(this_year),
        include=plan.include,
        exclude=plan.exclude,
        max_depth=plan.depth,
    )
