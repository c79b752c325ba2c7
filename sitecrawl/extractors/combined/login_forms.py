"""Drops forms to log in and to register, and leaves nothing of a page that has little else.

Forums and shops have such a page behind each "Reply" and "Buy". On 508 recorded pages with a password field no main
content has text of its form, but on a page to log in that its gold calls content. Pure in the page. [OWN]
"""

import re
from itertools import compress
from operator import sub
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import vocabulary

LARGEST: Final = 1_000
"""Maximum characters of such a form: one around the whole page has its text. Own choice."""
REST: Final = 300
"""Maximum kept characters, outside links, beside the form on a page that is there for it. Own choice."""
MOST: Final = 0.25
"""Share of these characters in the form from which a page with little else is there for it. Own choice."""


NAMED_REST: Final = 600
"""The same on a page whose address says that it is there for an account. Own choice."""
_ACCOUNT: Final = re.compile(
    r"(?:wp-|user-|member-)?(?:log|sign)-?(?:in|on|up)|regist(?:er|ration|ro|rieren|razione|racja|reren)|(?:create|new)-?account"
    r"|account-?(?:create|register|login)|authentication|anmelden|connexion|inscription",
    re.IGNORECASE,
)
"""Matches the last part of an address under which one logs in or registers."""
_PASSWORD: Final = re.compile(
    r"(?:forgot(?:ten)?|lost?|reset|recover|retrieve|find|send)-?(?:my-?)?(?:password|pwd|pass)"
    r"|(?:password|pwd)(?:-?(?:reset|recovery|recover|forgot|forgotten|lost))?",
    re.IGNORECASE,
)
"""The same for a password that was forgotten."""
_ACTION: Final = re.compile(r"(?:^|&)(?:action|mode|do|act|cmd)=([\w-]+)")


def without_login_forms(page: Page, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept without the forms with a password field; none of a page that is there for one."""
    forms = [row for row in page.password_forms if page.flat.chars[row] <= LARGEST]
    found = list(kept) if forms else kept
    for row in forms:
        begin, stop = blocks_below(page.flat, blocks, row)
        found[begin:stop] = [False] * (stop - begin)
    named = _is_for_account(page)
    if found == kept and not named:
        return kept
    own = list(map(sub, blocks.chars, blocks.link_chars))
    before, rest = (sum(compress(own, chosen)) for chosen in (kept, found))
    alone = rest <= (NAMED_REST if named else REST) and (named or before - rest >= MOST * before)
    return [False] * len(kept) if alone else found


def _is_for_account(page: Page) -> bool:
    """Tell whether the address of a page and its forms say that one logs in, registers, or gets a new password."""
    words = _address_words(page.url)
    if page.password_forms and any(map(_ACCOUNT.fullmatch, words)):
        return True
    return any(map(_PASSWORD.fullmatch, words)) and "form" in vocabulary(page.flat).tags


def _address_words(url: str) -> list[str]:
    """Return the last part of the path of an address, without its extension, and what its query asks for."""
    parts = urlsplit(url)
    last = parts.path.rstrip("/").rpartition("/")[2].partition(".")[0]
    return [word.replace("_", "-") for word in (last, *_ACTION.findall(parts.query))]
