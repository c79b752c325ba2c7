"""The visible texts of a page's headlines: its `h1` elements, or lower ones."""

import re
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final

from lxml.etree import _Element

from sitecrawl.dom.permalinks import is_permalink_text
from sitecrawl.dom.scripts import count_words
from sitecrawl.metadata.title_pieces import LEAST_WORDS, SECTION_NUMBER, folded

MOST: Final = 4
"""Maximum headlines read per page."""
LOWER: Final = 12
"""Maximum lower headlines read per page."""
MAX_NEAR: Final = 64
"""Maximum nodes read per headline."""
LENGTH: Final = 4_000
"""Maximum characters read per headline."""
PARTS: Final = 8
"""Maximum child elements of a headline of which one may be no part of it. Own choice."""
_MARK: Final = re.compile(r"(?<!\s)(?:\s*+\u00b6|\s++#)\s*+$")
"""Matches the symbol of a permalink in a headline."""
_NO_HEADLINE: Final = frozenset(("button", "script", "select", "style", "svg", "time"))
"""Elements inside a headline that are not part of it."""
_UNSEEN: Final = re.compile(
    r"(?:^|[\s_-])(?:visually-?hidden|sr-only|screen-?reader(?:-text|-only)?)(?:\s|$)", re.IGNORECASE
)
"""Matches class names of texts for screen readers alone."""
_IN_WORDS: Final = frozenset((
    "a", "abbr", "b", "bdi", "code", "em", "font", "i", "mark", "small", "span", "strong", "sub", "sup", "tt", "u",
    "var", "wbr",
))  # fmt: skip
"""Elements that may begin or end inside a word."""


def headlines(elements: list[_Element], names: Collection[str] = ()) -> Iterator[str]:
    """Yield the texts of the first of a page's `h1` elements, without their permalink symbols.

    A headline that is one of the folded `names` of the page beside the words of one child element, such as "Sponsored
    by", a caption or a link to a section, is this name.
    """
    for element in elements[:MOST]:
        text = _MARK.sub("", _heading_text(element))
        yield _without_part(element, text, names) or text


def lower_headlines(root: _Element) -> Iterator[str]:
    """Yield the texts of the first `h2` and `h3` elements."""
    for element in islice(root.iter("h2", "h3"), LOWER):
        yield _MARK.sub("", _heading_text(element))


def only_headline(root: _Element) -> str:
    """Return the only headline of the highest level of a page without `h1`; empty if there are several or none."""
    for name in ("h2", "h3"):
        found = list(islice(root.iter(name), 2))
        if found:
            return _MARK.sub("", _heading_text(found[0])) if len(found) == 1 else ""
    return ""


def _without_part(element: _Element, text: str, names: Collection[str]) -> str | None:
    """Return the text of a headline without the child element beside which it is a name of the page; None without one.

    The child has two words or more, and is not the number of a section.
    """
    if not names or not len(element) or folded(text) in names or SECTION_NUMBER.match(text.lstrip()):
        return None
    for child in islice(element, PARTS):
        if count_words(_heading_text(child)) >= LEAST_WORDS:
            rest = _heading_text(element, child)
            if count_words(rest) >= LEAST_WORDS and folded(rest) in names:
                return _MARK.sub("", rest)
    return None


def _heading_text(element: _Element, left_out: _Element | None = None) -> str:
    """Return the text of a headline without permalinks, buttons, dates and the child that is `left_out`.

    A word in two elements stays one word.
    """
    texts, left = [element.text or ""], MAX_NEAR
    stack: list[_Element | str] = list(reversed(element))
    while stack and left:
        left -= 1
        inner = stack.pop()
        if isinstance(inner, str):
            texts.append(inner)
            continue
        tag = inner.tag if isinstance(inner.tag, str) else ""
        gap = "" if tag in _IN_WORDS else " "
        stack.append(gap + (inner.tail or ""))
        if (
            tag
            and inner is not left_out
            and tag not in _NO_HEADLINE
            and not (tag == "a" and _is_permalink(inner))
            and not _is_unseen_label(inner)
        ):
            texts.append(gap + (inner.text or ""))
            stack.extend(reversed(inner))
    return "".join(texts)[:LENGTH].replace("\u00ad", "")


def _is_permalink(link: _Element) -> bool:
    """Return whether a link in a headline leads to a place on the same page and has the text of a permalink."""
    text = "".join(islice(map(str, link.itertext()), MAX_NEAR))
    return link.get("href", "").strip().startswith("#") and bool(text.strip()) and is_permalink_text(text)


def _is_unseen_label(element: _Element) -> bool:
    """Return whether a part of a headline is a label for screen readers, such as "Collection:"."""
    if not _UNSEEN.search(element.get("class", "")):
        return False
    return "".join(islice(map(str, element.itertext()), MAX_NEAR)).rstrip().endswith((":", "："))
