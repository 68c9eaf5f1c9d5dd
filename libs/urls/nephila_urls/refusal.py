"""Why a URL is not let through, and the error that carries it."""

from enum import StrEnum


class Refusal(StrEnum):
    """The names are those of `reason.proto` without `REASON_`, so that one list serves the whole product."""

    NOT_A_URL = "not_a_url"
    SCHEME = "scheme"
    USERINFO = "userinfo"
    PORT = "port"
    TOO_LONG = "too_long"
    OUT_OF_SCOPE = "out_of_scope"
    EXCLUDED = "excluded"
    NOT_INCLUDED = "not_included"
    TOO_DEEP = "too_deep"
    TOO_MANY_REDIRECTS = "too_many_redirects"
    BLOCKLISTED = "blocklisted"
    TRAP_DEEP_PATH = "trap_deep_path"
    TRAP_REPEATED_SEGMENTS = "trap_repeated_segments"
    TRAP_CALENDAR = "trap_calendar"
    TRAP_FACETS = "trap_facets"
    HOST_BUDGET = "host_budget"


class UrlRefused(ValueError):
    """A text that has no canonical URL. `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.value)
        self.refusal = refusal
