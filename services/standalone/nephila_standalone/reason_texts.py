"""One sentence for each reason code, and a mend where a person has one.

`REASON_TEXTS` is total over the enum; a test holds it to that.
"""

from collections.abc import Mapping

from nephila_contracts.names import reason_name
from nephila_contracts.v1 import reason_pb2 as r
from nephila_contracts.v1.reason_pb2 import Reason

REASON_TEXTS: Mapping[Reason, str] = {
    r.REASON_UNSPECIFIED: "No reason was told.",
    r.REASON_ADMITTED: "It was new and was let through to the queue.",
    r.REASON_KNOWN: "It had been let through before.",
    r.REASON_NOT_A_URL: "The text is no URL.",
    r.REASON_SCHEME: "Its scheme is neither http nor https.",
    r.REASON_USERINFO: "It carries a user name or a password.",
    r.REASON_TOO_LONG: "It is longer than 2,000 characters.",
    r.REASON_OUT_OF_SCOPE: "It is outside the crawl's scope.",
    r.REASON_EXCLUDED: "An --exclude pattern matches it.",
    r.REASON_NOT_INCLUDED: "None of the --include patterns matches it.",
    r.REASON_TOO_DEEP: "It is more links away from a seed than --depth allows.",
    r.REASON_TOO_MANY_REDIRECTS: "It is behind more redirects than are followed.",
    r.REASON_BLOCKLISTED: "It is on the blocklist.",
    r.REASON_TRAP_DEEP_PATH: "Its path has so many segments that it looks like a trap.",
    r.REASON_TRAP_REPEATED_SEGMENTS: "Its path repeats itself, which looks like a trap.",
    r.REASON_TRAP_CALENDAR: "It is a calendar page far from today, which looks like a trap.",
    r.REASON_TRAP_FACETS: "It has more query parameters than a page of its own would carry.",
    r.REASON_HOST_BUDGET: "Its host has used up its budget of pages.",
    r.REASON_PORT: "Its port is one that browsers refuse, such as 25.",
    r.REASON_FETCHED: "The server answered with the page.",
    r.REASON_NOT_MODIFIED: "The server said that it had not changed since the last visit.",
    r.REASON_REDIRECTED: "The server sent it on to another URL, which has a life of its own.",
    r.REASON_GONE: "The server said that it does not exist (404 or 410).",
    r.REASON_CLIENT_ERROR: "The server refused the request (a 4xx answer).",
    r.REASON_SERVER_ERROR: "The server failed (a 5xx answer).",
    r.REASON_BACKED_OFF: "The server asked to be left alone for a while (429 or 503).",
    r.REASON_BAD_REDIRECT: "The server sent it on to nowhere that could be followed, or to itself.",
    r.REASON_ROBOTS_DISALLOWED: "The site's robots.txt forbids it.",
    r.REASON_ROBOTS_UNREACHABLE: "The site's robots.txt could not be read, so nothing is allowed.",
    r.REASON_NO_SUCH_HOST: "No host has that name.",
    r.REASON_DNS_FAILED: "The name server did not say where its host is.",
    r.REASON_ADDRESS_FORBIDDEN: "Its host has an address that is not public.",
    r.REASON_CONNECTION_REFUSED: "Nothing listens on that port.",
    r.REASON_CONNECTION_FAILED: "The connection could not be made, or broke.",
    r.REASON_TLS_FAILED: "The encrypted connection failed: its certificate may be wrong.",
    r.REASON_TIMED_OUT: "The answer took too long.",
    r.REASON_PROTOCOL_ERROR: "The answer was no valid HTTP.",
    r.REASON_UNDECODABLE: "The answer's compression was broken.",
    r.REASON_HANDED_BACK: "It was given back unfetched, and is still in its queue.",
    r.REASON_PAUSED: "Its host is paused.",
    r.REASON_PARSER_CRASHED: "It crashed the process that parsed it.",
    r.REASON_PARSER_TIMED_OUT: "Parsing it took too long and was stopped.",
    r.REASON_NOT_PARSED: "It was stored; no parser reads its type of content.",
    r.REASON_POISONED: "A message about it could not be handled, and lies with the dead letters.",
    r.REASON_LOST: "Three times it was handed out and no outcome came back.",
    r.REASON_TRIES_SPENT: "It was put off three times, and then given up.",
}

_MENDS: Mapping[Reason, str] = {
    r.REASON_OUT_OF_SCOPE: "a wider --scope with a new DIR lets it in",
    r.REASON_EXCLUDED: "start anew with another --exclude to let it in",
    r.REASON_NOT_INCLUDED: "start anew with another --include to let it in",
    r.REASON_TOO_DEEP: "start anew with a larger --depth to let it in",
    r.REASON_GONE: "check the address",
    r.REASON_CLIENT_ERROR: "look at it in a browser: the site may want a login or forbid robots",
    r.REASON_SERVER_ERROR: "try again later",
    r.REASON_BACKED_OFF: "try again later",
    r.REASON_ROBOTS_DISALLOWED: "ask the site's owner",
    r.REASON_ROBOTS_UNREACHABLE: "try again later",
    r.REASON_NO_SUCH_HOST: "check the spelling, or the name server given with --dns",
    r.REASON_DNS_FAILED: "check the network, or the name server given with --dns",
    r.REASON_ADDRESS_FORBIDDEN: "if it is your own, allow it: --allow-network 127.0.0.0/8 or so",
    r.REASON_CONNECTION_REFUSED: "check the port, and that the server is running",
    r.REASON_CONNECTION_FAILED: "check the network and the server, and try again",
    r.REASON_TLS_FAILED: "check the certificate, or write http:// for a server without one",
    r.REASON_TIMED_OUT: "check the network and the server, and try again",
    r.REASON_PROTOCOL_ERROR: "check that a web server listens there, and http:// or https://",
    r.REASON_TRIES_SPENT: "try again later",
    r.REASON_LOST: "report it, with DIR/nephila.log where there is one",
}

_BY_NAME = {reason_name(reason): reason for reason in REASON_TEXTS}


def text_of(reason: Reason) -> str:
    """The sentence, also for a code that is younger than this program."""
    return REASON_TEXTS.get(reason, "A reason that this nephila does not know.")


def mend_of(reason: Reason) -> str | None:
    """What a person could do about it, as a clause; None when there is nothing."""
    return _MENDS.get(reason)


def short_name(reason: Reason) -> str:
    """ "timed out" for REASON_TIMED_OUT: for tables and live views."""
    return words(reason_name(reason))


def words(name: str) -> str:
    """ "timed out" for "TIMED_OUT"."""
    return name.replace("_", " ").lower()


def by_name(name: str) -> Reason:
    """REASON_TIMED_OUT for "TIMED_OUT"; REASON_UNSPECIFIED for a name that is none."""
    return _BY_NAME.get(name, r.REASON_UNSPECIFIED)
