"""Measures the lengths of a page's tags without a parser: in one pass by the compiled twin, in four without it."""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from sitecrawl.dom import speedups

_BEGINS: Final = re.compile(r"<[a-zA-Z]")
_HIDDEN_END: Final = re.compile(r"""=\s*+(?:"[^">]*+>|'[^'>]*+>)""")


class Markup(NamedTuple):
    """Lengths in the source of a page."""

    longest: int
    """Longest stretch of characters without a `>`."""
    tagged: int
    """Longest stretch without a `>` that begins with `<` and a letter: no tag is longer if `hidden` is 0."""
    hidden: int
    """Number of quoted attribute values that contain a `>`, which may hide that a tag is long."""

    @property
    def bound(self) -> int:
        """Upper bound of the characters in one tag's attribute names: each hidden `>` may join two stretches."""
        return self.tagged if not self.hidden else (self.hidden + 1) * self.longest


@lru_cache(1)  # both callers ask for the same page
def markup(html: str) -> Markup:
    """Return the lengths of a page. NUL does not count, since no parser sees it."""
    if "\x00" in html:
        html = html.replace("\x00", "")
    if _twin is not None and speedups.allowed():
        return Markup(*_twin.measured(html))
    return measured(html)


def measured(html: str) -> Markup:
    """Like `markup`, in Python."""
    longest = tagged = 0
    for stretch in html.split(">"):
        size = len(stretch)
        longest = max(longest, size)
        if size > tagged:
            begin = _BEGINS.search(stretch)
            if begin is not None:
                tagged = max(tagged, size - begin.start())
    return Markup(longest, tagged, len(_HIDDEN_END.findall(html)))


_twin = speedups.compiled("sitecrawl.dom._markup")
