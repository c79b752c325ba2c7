"""Tells pages that may take long to parse or to read, by looks that are linear in their length and need no parser."""

from typing import Final

from sitecrawl.dom.markup import markup

SMALL: Final = 65_536
"""Characters in which nothing takes longer than half a second (docs/security.md)."""
LARGE: Final = 1_000_000
"""Characters above which a page is always heavy: many tags just below every other limit."""
MANY_TAGS: Final = 40_000
"""`<` characters: two for an element, about."""
LONG_TAG: Final = 8_192
"""Characters behind a `<` without a `>`."""
HIDDEN_ENDS: Final = 8
"""`>` characters in attribute values: more could hide that a tag is long."""


def is_heavy(html: str) -> bool:
    """Say whether a page is to be tried in another process first; wrong in one direction only, and there seldom.

    libxml2 compares the attributes of a tag pairwise. A tag with 20,000 of them has over 80,000 characters, wherever a
    parser sees it begin, be it in what others take for a script or a comment. So it shows a long stretch without
    `>`, or many that stand in quotes behind an equals sign.
    """
    if len(html) <= SMALL:
        return False
    if len(html) > LARGE or html.count("<") > MANY_TAGS:
        return True
    found = markup(html)
    return found.tagged > LONG_TAG or found.hidden > HIDDEN_ENDS
