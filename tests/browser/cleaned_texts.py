"""Compares the texts that `crunch` keeps of a page with the texts of the cleaned page in a browser."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import NamedTuple

from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.page import Page
from sitecrawl.extractors.papers.crunch_filters import filtering, removed_links
from sitecrawl.extractors.papers.crunch_settings import read_settings

TAGGED = re.compile("(?s)<!--.*?-->|<[^>]*>")
"""Comments and tags, whose attributes may name what was removed: `link` and `meta` elements stay."""


LONG = 30
"""Characters from which a text that is found is no other one of the same words."""


@dataclass(slots=True)
class Text:
    """A text as the browser shows it."""

    words: str
    box: list[float] | None
    style: str


@dataclass(slots=True)
class Result:
    """The findings on one cleaned page, or on several."""

    pages: int = 0
    left: list[str] = field(default_factory=list)
    """Removed texts that are still there."""
    missing: list[str] = field(default_factory=list)
    """Kept texts that are not there."""
    restyled: list[str] = field(default_factory=list)
    reordered: list[str] = field(default_factory=list)
    removed: int = 0
    compared: int = 0
    orders: int = 0
    """Pairs of neighbours whose places were compared."""
    tags: Counter[str] = field(default_factory=Counter)
    """Elements of the page as it is, and of the cleaned one, by `tag` and `tag kept`."""

    def add(self, other: "Result") -> None:
        """Add the result of one more page."""
        for name in self.__slots__:
            mine, more = getattr(self, name), getattr(other, name)
            setattr(self, name, mine + more)

    def line(self) -> str:
        """Return the figures in words."""
        return (
            f"{self.removed} texts removed, {len(self.left)} of them still there; {len(self.missing)} kept ones missing;"
            f" {self.compared} compared, {len(self.restyled)} restyled; {self.orders} pairs of neighbours,"
            f" {len(self.reordered)} in another order"
        )


class Verdict(NamedTuple):
    """The verdict of the method on each text of a page."""

    kept: Counter[str]
    removed: Counter[str]
    listed: list[str]
    """Texts of the removed links, which are listed at the end."""


def verdict(page: Page) -> Verdict:
    """Return the texts that the method keeps and removes; it removes nothing from a page of links."""
    settings = read_settings("", {})
    found, kept, removed = filtering(page, settings), Counter[str](), Counter[str]()
    for row, tag in enumerate(page.flat.tag):
        if tag == TEXT:
            (removed if found.gone[row] and not found.portal else kept)[" ".join(page.flat.text[row].split())] += 1
    return Verdict(kept, removed, [" ".join(text.split()) for text, _ in removed_links(page, found.gone, settings)])


def joined(texts: Sequence[Text]) -> Counter[str]:
    """Return the texts by their words."""
    return Counter(one.words for one in texts)


def left_in_text(page: Page, text: str) -> list[str]:
    """Return the removed texts that are in a cleaned page as plain text, before the removed links at its end."""
    kept, removed, listed = verdict(page)
    lines = text.strip().split("\n")
    remaining, shown = " ".join(kept), " ".join(" ".join(lines[: len(lines) - len(listed)]).split())
    return [one for one in removed if len(one) >= LONG and one not in remaining and one in shown]


def aligned(before: Sequence[Text], after: Sequence[Text]) -> list[tuple[Text, Text]]:
    """Return the texts that stay, each as it was and as it is."""
    matcher = SequenceMatcher(None, [one.words for one in before], [one.words for one in after], autojunk=False)
    blocks = matcher.get_matching_blocks()
    return [(before[block.a + k], after[block.b + k]) for block in blocks for k in range(block.size)]


def staying(page: Page, before: Sequence[Text]) -> list[Text]:
    """Return the texts in the browser that the method does not remove."""
    found, flat = filtering(page, read_settings("", {})), page.flat
    if found.portal:
        return list(before)
    rows = [row for row, tag in enumerate(flat.tag) if tag == TEXT]
    texts = [Text(" ".join(flat.text[row].split()), None, "gone" if found.gone[row] else "") for row in rows]
    gone = {id(one) for one, text in aligned(before, texts) if text.style}
    return [one for one in before if id(one) not in gone]


def below(one: Text, other: Text) -> int:
    """Return whether a text is below another one (1), above it (-1), or beside it (0)."""
    if one.box is None or other.box is None:
        return 0
    apart = one.box[1] - other.box[1]
    return 0 if abs(apart) < max(one.box[2], other.box[2]) else 1 if apart > 0 else -1


def judged(page: Page, before: Sequence[Text], after: Sequence[Text], html: str) -> Result:
    """Compare a cleaned page with the page as it is."""
    kept, removed, listed = verdict(page)
    result, source = (
        Result(1, removed=removed.total()),
        TAGGED.sub(" ", html.rpartition("<ul><li><a href=")[0 if listed else 2]),
    )
    at = len(after) - len(listed)
    if [one.words for one in after[at:]] == listed:
        after = after[:at]
    else:
        result.missing.append("the list of removed links")
    shown, there, remaining = joined(after), joined(before), " ".join(kept)
    for text, number in removed.items():
        plain = len(text) >= LONG and text not in remaining and not set("<&>") & set(text)
        if shown[text] > kept[text] or (plain and text in source):
            result.left.append(f"{number} x {text[:80]}")
    result.missing += [one[:80] for one, number in kept.items() if shown[one] < min(number, there[one])]
    pairs = aligned(staying(page, before), after)
    result.compared = len(pairs)
    result.restyled = [
        f"{one.words[:40]}: {one.style} -> {other.style}" for one, other in pairs if one.style != other.style
    ]
    for (one, mine), (other, theirs) in pairwise(pair for pair in pairs if pair[0].box and pair[1].box):
        result.orders += 1
        if below(other, one) * below(theirs, mine) < 0:
            result.reordered.append(f"{one.words[:30]} | {other.words[:30]}")
    return result
