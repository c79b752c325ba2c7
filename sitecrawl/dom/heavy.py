"""Detects pages that may take long to parse or to read, by linear scans without a parser."""

from typing import Final

from sitecrawl.dom.markup import markup

SMALL: Final = 65_536
"""Pages up to this many characters take at most half a second (docs/security.md)."""
LARGE: Final = 1_000_000
"""Pages above this many characters always count as heavy: they may have many tags below every other limit."""
MANY_TAGS: Final = 40_000
"""Maximum `<` characters: about two per element."""
LONG_TAG: Final = 8_192
"""Maximum characters after a `<` without a `>`."""
HIDDEN_ENDS: Final = 8
"""Maximum `>` characters in attribute values, which can hide that a tag is long. More are harmless if the text between
them is short: the longest tag that counts as light has nine stretches of `LONG_TAG` characters."""


def is_heavy(html: str) -> bool:
    """Return whether a page must first be tried in another process; false alarms are rare, misses do not occur.

    libxml2 compares the attributes of a tag pairwise. A tag with 20,000 attributes has over 80,000 characters, wherever
    a parser sees its beginning, even inside a script or a comment. Such a tag contains a long stretch without `>`, or
    many `>` in quotes after an equals sign, with long stretches between them.
    """
    if len(html) <= SMALL:
        return False
    if len(html) > LARGE or html.count("<") > MANY_TAGS:
        return True
    found = markup(html)
    return found.tagged > LONG_TAG or (found.hidden > HIDDEN_ENDS and found.joined > (HIDDEN_ENDS + 1) * LONG_TAG)
