"""Drops forms to log in and to register, and leaves nothing of a page that has little else.

Forums and shops have such a page behind each "Reply" and "Buy". On 508 recorded pages with a password field no main
content has text of its form, but on a page to log in that its gold calls content. Pure in the page. [OWN]
"""

from itertools import compress
from operator import sub
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.page import Page

LARGEST: Final = 1_000
"""Maximum characters of such a form: one around the whole page has its text. Own choice."""
REST: Final = 300
"""Maximum kept characters, outside links, beside the form on a page that is there for it. Own choice."""
MOST: Final = 0.25
"""Share of these characters in the form from which a page with little else is there for it. Own choice."""


def without_login_forms(page: Page, blocks: Blocks, kept: list[bool]) -> list[bool]:
    """Return which blocks are kept without the forms with a password field; none of a page that is there for one."""
    forms = [row for row in page.password_forms if page.flat.chars[row] <= LARGEST]
    found = list(kept) if forms else kept
    for row in forms:
        begin, stop = blocks_below(page.flat, blocks, row)
        found[begin:stop] = [False] * (stop - begin)
    if found == kept:
        return kept
    own = list(map(sub, blocks.chars, blocks.link_chars))
    before, rest = (sum(compress(own, chosen)) for chosen in (kept, found))
    return [False] * len(kept) if rest <= REST and before - rest >= MOST * before else found
