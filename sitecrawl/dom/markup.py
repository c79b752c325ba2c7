"""Measures the lengths of a page's tags without a parser."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

SHORT: Final = 1_000
"""Characters up to which a tag is not measured: every limit is higher."""

_BEGINS: Final = re.compile(r"<[a-zA-Z]")
_HIDDEN_END: Final = re.compile(r"""=\s*+(?:"[^">]*+>|'[^'>]*+>)""")


class Markup(NamedTuple):
    """Lengths in the source of a page."""

    longest: int
    """Longest stretch of characters without a `>`."""
    tagged: int
    """Longest stretch without a `>` that begins with `<` and a letter: no tag is longer if `hidden` is 0.

    It is 0 if no stretch has more than `SHORT` characters.
    """
    hidden: int
    """Number of quoted attribute values that contain a `>`, which may hide that a tag is long."""

    @property
    def bound(self) -> int:
        """Upper bound of the characters in one tag's attribute names, if over `SHORT`.

        Each hidden `>` may join two stretches.
        """
        return self.tagged if not self.hidden else (self.hidden + 1) * self.longest


@lru_cache(1)  # both callers ask for the same page
def markup(html: str) -> Markup:
    """Return the lengths of a page. NUL does not count, since no parser sees it."""
    if "\x00" in html:
        html = html.replace("\x00", "")
    stretches = html.split(">")
    longest = max(map(len, stretches))
    tagged = 0
    if longest > SHORT:
        for stretch in stretches:
            if len(stretch) > SHORT and (begin := _BEGINS.search(stretch)) is not None:
                tagged = max(tagged, len(stretch) - begin.start())
    return Markup(longest, tagged, len(_HIDDEN_END.findall(html)))
