"""Query parameters that do not identify a page: campaign tags, click ids, session ids."""

import re
from typing import Final
from urllib.parse import unquote

TRACKING_KINDS: Final = {
    "click ids of advertisers": (
        "fbclid gclid gclsrc gbraid wbraid dclid msclkid yclid ysclid twclid ttclid li_fat_id igshid igsh"
        " rb_clickid s_kwcid srsltid wickedid zanpid irclickid epik scid"
    ),
    "newsletters and marketing": (
        "mc_cid mc_eid mkt_tok _hsenc _hsmi hsctatracking vero_conv vero_id oly_anon_id oly_enc_id __s _ke"
        " trk_contact trk_msg trk_module trk_sid ml_subscriber ml_subscriber_hash"
    ),
    "web analytics": "_ga _gl _gac _openstat __hssc __hstc __hsfp hsa_acc s_cid at_xt xtor wt_mc wt_zmc",
}
TRACKING_NAMES: Final = frozenset(name for names in TRACKING_KINDS.values() for name in names.split())
"""Parameter names in lower case; vendors document their own click ids."""

TRACKING_PREFIXES: Final = ("utm_", "mtm_", "pk_", "piwik_", "matomo_", "hsa_", "at_campaign", "at_medium")
"""Prefixes of parameter names in lower case: Google Analytics, Matomo, HubSpot ads, AT Internet."""

SESSION_NAMES: Final = frozenset(
    (
        *("jsessionid", "phpsessid", "phpsession", "sessid", "sessionid", "session_id"),
        *("cfid", "cftoken", "zenid", "oscsid", "xtcsid"),
    )
)
"""Names in lower case of session parameters, whatever their value (Heritrix: StripSessionIDs, StripSessionCFIDs).

Names that begin with `aspsessionid` count too.
"""

SESSION_IF_HASH: Final = frozenset(("s", "sess", "session", "sid"))
"""Names in lower case of session parameters if their value looks like a hash; `?sid=12` is a page."""

_HASH: Final = re.compile(
    r"(?=[0-9]*[a-f])(?=[a-f]*[0-9])[0-9a-f]{8,}"  # hexadecimal with at least one letter and one digit
    r"|(?=[^0-9]*[0-9])(?=[^a-z]*[a-z])[0-9a-z_,-]{16,}"  # any alphabet, longer
    r"|[0-9]{16,}",
    re.IGNORECASE,
)
_LONG_HASH: Final = re.compile(r"[0-9a-f]{32,}", re.IGNORECASE)
_ESCAPED: Final = re.compile("%[0-9A-Fa-f]{2}|[+]")


def without_tracking(query: str) -> str:
    """Return a query without tracking parameters; the others keep their order and spelling."""
    if not query:
        return ""
    return "&".join(part for part in query.split("&") if not _tracks(_name(part)))


def without_state(query: str) -> str:
    """Return a query without tracking and session parameters, and without exact repeats of `name=value`.

    `?a=1&a=2` has two values and keeps both. Of a repeated pair the first one is kept: the links of filters add the
    same pair again on each page, and for a server it means the same as one.
    """
    if not query:
        return ""
    return "&".join(dict.fromkeys(part for part in query.split("&") if not _is_state(part)))


def looks_like_hash(value: str) -> bool:
    """Return whether the value of a parameter looks like a hash: 8 hexadecimal digits, or 16 letters and digits."""
    return _HASH.fullmatch(value) is not None


def _name(part: str) -> str:
    """Return the name of `name=value`, unquoted and in lower case."""
    name = part.partition("=")[0]
    if _ESCAPED.search(name):
        name = unquote(name.replace("+", " "))
    return name.lower()


def _tracks(name: str) -> bool:
    """Return whether a parameter, by its name in lower case, is for tracking."""
    return name in TRACKING_NAMES or name.startswith(TRACKING_PREFIXES)


def _is_state(part: str) -> bool:
    """Return whether `name=value` is a tracking or session parameter."""
    name = _name(part)
    if name in SESSION_IF_HASH:
        value = part.partition("=")[2]
        return bool((_LONG_HASH if name == "s" else _HASH).fullmatch(value))  # on most sites `s` is a search term
    return name in SESSION_NAMES or name.startswith("aspsessionid") or _tracks(name)
