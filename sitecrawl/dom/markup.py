"""Measures the lengths of a page's tags without a parser."""

import re
from collections.abc import Iterator
from functools import lru_cache
from heapq import nlargest
from typing import Final, NamedTuple

SHORT: Final = 1_000
"""Characters up to which a tag is not measured: every limit is higher."""

_BEGINS: Final = re.compile(r"<[a-zA-Z]")
_SEPARATORS: Final = re.compile(r"""[\s/"']+""")
"""Matches what stands between two attributes."""
_HIDDEN_END: Final = re.compile(r"""=\s*+(?:"[^">]*+>|'[^'>]*+>)""")


class Markup(NamedTuple):
    """Lengths in the source of a page."""

    longest: int
    """Longest stretch of characters without a `>`; `SHORT` for a shorter one on a page without hidden ends."""
    tagged: int
    """Longest stretch without a `>` that begins with `<` and a letter; if `hidden` is 0, no tag is longer.

    It is 0 if no stretch has more than `SHORT` characters.
    """
    hidden: int
    """Number of quoted attribute values that contain a `>`, which may hide that a tag is long."""
    joined: int
    """Total characters of the `hidden` + 1 longest stretches, since each hidden `>` may join two."""

    @property
    def bound(self) -> int:
        """Upper bound of the characters in one tag's attribute names, if over `SHORT`."""
        return self.joined if self.hidden else self.tagged


class AttributeBounds(NamedTuple):
    """Upper bounds of the attributes in one tag."""

    plain: int
    """In the longest stretch without a `>` that begins with `<` and a letter; 0 if none has over `SHORT` characters."""
    joined: int
    """In the stretches that hidden `>` may join to one tag; 0 if there are none."""


@lru_cache(1)  # both callers ask for the same page
def markup(html: str) -> Markup:
    """Return the lengths of a page. NUL characters are ignored, as by parsers."""
    if "\x00" in html:
        html = html.replace("\x00", "")
    hidden = len(_HIDDEN_END.findall(html))
    stretches = list(_long_stretches(html))
    lengths = nlargest(hidden + 1, (end - begin for begin, end in stretches))
    if hidden >= len(lengths):  # shorter ones count as well
        lengths = nlargest(hidden + 1, map(len, html.split(">"))) if hidden else [SHORT]
    tagged = 0
    for begin, end in stretches:
        if (tag := _BEGINS.search(html, begin, end)) is not None:
            tagged = max(tagged, end - tag.start())
    return Markup(lengths[0], tagged, hidden, sum(lengths))


def _long_stretches(html: str) -> Iterator[tuple[int, int]]:
    """Yield beginning and end of the stretches of over `SHORT` characters without a `>`.

    Most of a page is skipped: only the last `>` within each `SHORT` characters is searched.
    """
    before = -1  # the last `>`
    while before + SHORT + 1 < len(html):
        after = html.rfind(">", before + 1, before + SHORT + 2)
        if after < 0:
            after = html.find(">", before + SHORT + 2)
            after = len(html) if after < 0 else after
            yield before + 1, after
        before = after


def attribute_bounds(html: str) -> AttributeBounds:
    """Return upper bounds of the attributes in one tag, by counting what may separate them.

    Long values, such as images in addresses and data for scripts, have few separators.
    """
    html = html.replace("\x00", "")
    plain = 0
    for begin, end in _long_stretches(html):
        if (tag := _BEGINS.search(html, begin, end)) is not None:
            plain = max(plain, len(_SEPARATORS.findall(html, tag.start(), end)))
    hidden = markup(html).hidden
    counts = (len(_SEPARATORS.findall(stretch)) for stretch in html.split(">")) if hidden else ()
    return AttributeBounds(plain, sum(nlargest(hidden + 1, counts)))
