"""Detects pages that may take long to parse or to read, by linear scans without a parser."""

from typing import Final

from sitecrawl.dom.markup import attribute_bounds, markup

SMALL: Final = 65_536
"""Pages up to this many characters take at most half a second (docs/security.md)."""
LARGE: Final = 1_000_000
"""Pages above this many characters always count as heavy: they may have many tags below every other limit."""
MANY_TAGS: Final = 40_000
"""Maximum `<` characters: about two per element."""
MANY_ATTRIBUTES: Final = 2_048
"""Maximum attributes of a tag: 100 such tags, which a page below every other limit may have, take half a second."""
JOINED_ATTRIBUTES: Final = 18_432
"""Maximum attributes of all tags that `>` in attribute values can hide: they take at most as long. Own choice."""
_SHORTEST: Final = 4
"""Minimum characters of an attribute, one separator included, in a tag of so many different ones."""


def is_heavy(html: str) -> bool:
    """Return whether a page must first be tried in another process; false alarms are rare, misses do not occur.

    libxml2 compares the attributes of a tag pairwise. A tag with 20,000 attributes has over 80,000 characters, wherever
    a parser sees it begin, even in what others take for a script or a comment. Such a tag shows as a long stretch
    without `>`, or as stretches that a `>` in quotes after an equals sign may join, with as many separators.
    """
    if len(html) <= SMALL:
        return False
    if len(html) > LARGE or html.count("<") > MANY_TAGS:
        return True
    found = markup(html)
    may_join = found.hidden and found.joined > _SHORTEST * JOINED_ATTRIBUTES
    if found.tagged <= _SHORTEST * MANY_ATTRIBUTES and not may_join:
        return False
    bounds = attribute_bounds(html)
    return bounds.plain > MANY_ATTRIBUTES or bounds.joined > JOINED_ATTRIBUTES
