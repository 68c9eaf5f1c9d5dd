"""What is dropped from a URL, and how its query is ordered, beyond what the WHATWG standard says.

Each rule is a policy that could lose a page, so each is narrow and each has a switch.
"""

import re
from dataclasses import dataclass

# Click and campaign identifiers: the parameters that Firefox strips (StripOnShare.json), those of the
# ClearURLs global list, and the vendors' own documents. Names that sites also use for content ("ref",
# "source", "campaign", "id") are left alone on purpose.
TRACKING_NAMES = frozenset(
    {
        "gclid",  # Google Ads, support.google.com/google-ads/answer/9744275
        "gclsrc",
        "dclid",  # Google Display & Video 360
        "gbraid",
        "wbraid",
        "gad_source",
        "gad_campaignid",
        "srsltid",  # Google Merchant Center
        "_ga",  # Google Analytics' cross-domain linker
        "_gl",
        "fbclid",  # Meta
        "msclkid",  # Microsoft Advertising
        "yclid",  # Yandex.Direct
        "ysclid",
        "twclid",  # X
        "ttclid",  # TikTok
        "igshid",  # Instagram
        "igsh",
        "li_fat_id",  # LinkedIn
        "epik",  # Pinterest
        "sccid",  # Snapchat, written ScCid
        "mc_cid",  # Mailchimp
        "mc_eid",
        "mkt_tok",  # Marketo
        "_hsenc",  # HubSpot
        "_hsmi",
        "__hstc",
        "__hssc",
        "__hsfp",
        "hsctatracking",
        "vero_id",
        "vero_conv",
        "oly_anon_id",  # Omeda
        "oly_enc_id",
        "rb_clickid",
        "wickedid",
        "s_cid",  # Adobe
        "ml_subscriber",
        "ml_subscriber_hash",
        "_openstat",
    }
)
# utm_* Google Analytics; pk_* and mtm_* Matomo, matomo.org/faq/how-to/faq_120.
TRACKING_PREFIXES = ("utm_", "pk_", "mtm_")

# A parameter counts as a session id by its name and its value: a short "sid=12" names a page.
_SESSION_QUERY = re.compile(
    r"(?:jsessionid=[0-9a-f]{16,64}(?:\.[\w-]*)?"
    r"|phpsessid=(?:[0-9a-f]{32,40}|[0-9a-v]{26,32})"  # session.sid_bits_per_character 4 or 5
    r"|(?:sid|sessionid|session_id|sessid)=[0-9a-f]{24,64}"
    r"|aspsessionid[a-z]{8}=[a-z]{24})",
    re.IGNORECASE | re.ASCII,
)
_SESSION_PATH = re.compile(
    r";jsessionid=[0-9a-z!_-]{16,128}(?:\.[\w-]+)?(?=[/;]|$)"
    # ASP.NET's cookieless session: /(S(lit3py55t21z5v55vlm25s55))/
    r"|/\(S\([a-z0-5]{24}\)\)(?=/)",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True)
class CanonicalRules:
    """The policies, each with its switch. One crawl uses one value throughout: another makes other URLs.

    `sort_query` orders a query by name where it is a list of `name=value`, and drops empty pairs, as
    form decoding does; pairs of one name keep their order, and a query of another form, or with a URL
    inside it, keeps its own.
    `tracking_names` and `tracking_prefixes` (lower case) are dropped from the query; `drop_session_ids`
    drops jsessionid, PHPSESSID, sid and the like where the value looks generated.
    `max_length` is in characters, of the canonical URL.
    """

    sort_query: bool = True
    tracking_names: frozenset[str] = TRACKING_NAMES
    tracking_prefixes: tuple[str, ...] = TRACKING_PREFIXES
    drop_session_ids: bool = True
    max_length: int = 2000

    def path(self, path: str) -> str:
        """The path without session ids."""
        if self.drop_session_ids and (";" in path or "/(" in path):
            return _SESSION_PATH.sub("", path) or "/"
        return path

    def query(self, query: str) -> str:
        """The query (no question mark) without what is dropped, ordered; empty when nothing is left.

        Idempotent.
        """
        pairs = [pair for pair in query.split("&") if not self._drops(pair)]
        if not self.sort_query or len(pairs) < 2:
            return "&".join(pairs)
        named = [pair for pair in pairs if pair]
        for pair in named:
            # "?url=http://a/?z=1&b=2" holds one URL, which an order by name would tear apart.
            if pair.find("=") < 1 or "?" in pair:
                return "&".join(pairs)
        named.sort(key=_name)
        return "&".join(named)

    def _drops(self, pair: str) -> bool:
        name = _name(pair).lower()
        if name in self.tracking_names or name.startswith(self.tracking_prefixes):
            return True
        if self.drop_session_ids and "s" in name:
            return _SESSION_QUERY.fullmatch(pair) is not None
        return False


def _name(pair: str) -> str:
    return pair.partition("=")[0]


DEFAULT_RULES = CanonicalRules()
