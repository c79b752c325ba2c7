"""Drops log-in and registration forms, and keeps nothing of a page that has little else.

In forums and shops, each "Reply" or "Buy" link leads to such a page. On 508 recorded pages with a password field, no
main content contains text of the form, except on one log-in page that the gold data counts as content. Pure in the
page. [OWN]
"""

import re
from collections.abc import Iterable
from itertools import compress
from operator import sub
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import vocabulary

LARGEST: Final = 1_000
"""Maximum characters of such a form: a form around the whole page contains its text. Own choice."""
REST: Final = 300
"""Maximum kept characters, outside links, beside the form of a log-in page. Own choice."""
MOST: Final = 0.25
"""Minimum ratio of characters in the form to these characters on a log-in page. Own choice."""


NAMED_REST: Final = 600
"""The maximum `REST` on a page with the URL of an account page. Own choice."""
_ACCOUNT: Final = re.compile(
    r"(?:wp-|user-|member-)?(?:log|sign)-?(?:in|on|up)|regist(?:er|rieren|razione|racja|reren)|(?:create|new)-?account"
    r"|account-?(?:create|register|login)|authentication|anmelden|connexion",
    re.IGNORECASE,
)
"""Matches the last path segment of a log-in or registration page, but not that of a page about the registration for a
conference."""
_PASSWORD: Final = re.compile(
    r"(?:forgot(?:ten)?|lost?|reset|recover|retrieve|find|send)-?(?:my-?)?(?:password|pwd|pass)"
    r"|(?:password|pwd)-?(?:reset|recovery|recover|forgot|forgotten|lost)|user/password",
    re.IGNORECASE,
)
"""The same for a page for forgotten passwords. A manual may have a page named `password`."""
_ACTION: Final = re.compile(r"(?:^|&)(?:action|mode|do|act|cmd)=([\w-]+)")


def without_login_forms(page: Page, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept, without login forms (with a password field); none on a login page."""
    forms = [row for row in page.password_forms if page.flat.chars[row] <= LARGEST]
    found = list(kept) if forms else kept
    for row in forms:
        begin, stop = blocks_below(page.flat, blocks, row)
        found[begin:stop] = [False] * (stop - begin)
    account = _names(page.url, _ACCOUNT) and _is_below(page, blocks, found, page.password_forms)
    if found == kept and not account and not _asks_for_password(page, blocks, kept):
        return kept
    own = list(map(sub, blocks.chars, blocks.link_chars))
    before, rest = (sum(compress(own, chosen)) for chosen in (kept, found))
    if account:
        return [False] * len(kept) if rest <= NAMED_REST else found
    alone = rest <= REST and (found == kept or before - rest >= MOST * before)
    return [False] * len(kept) if alone else found


def is_for_account(page: Page) -> bool:
    """Return whether a page is for log-in, registration or a new password, by its URL and a form."""
    if _names(page.url, _ACCOUNT):
        return bool(page.password_forms)
    return _names(page.url, _PASSWORD) and "form" in vocabulary(page.flat).tags


def _asks_for_password(page: Page, blocks: Blocks, kept: list[bool]) -> bool:
    """Return whether a page is for a new password, by its URL and a form."""
    if not _names(page.url, _PASSWORD):
        return False
    return _is_below(page, blocks, kept, vocabulary(page.flat).tags.get("form", ()))


def _is_below(page: Page, blocks: Blocks, kept: list[bool], forms: Iterable[int]) -> bool:
    """Return whether any of these forms is not above the kept text, where ordinary pages have log-in forms too."""
    first = blocks.first[kept.index(True)] if True in kept else 0
    return any(page.flat.end[row] > first for row in forms)


def _names(url: str, pattern: re.Pattern[str]) -> bool:
    """Return whether a pattern matches the whole last path segment without extension, or a whole query value."""
    parts = urlsplit(url)
    ends = parts.path.rstrip("/").rsplit("/", 2)
    last = ends[-1].partition(".")[0]
    words = (last, "/".join((*ends[-2:-1], last)), *_ACTION.findall(parts.query))
    return any(pattern.fullmatch(word.replace("_", "-")) for word in words)
