"""Takes off a headline what another name of the page shows to be no part of it: labels, notes and taglines."""

import re
from collections.abc import Iterable
from typing import Final

from sitecrawl.metadata.title_pieces import NUMBERED, first_piece, folded, separators

LABEL_WORDS: Final = 3
"""Maximum words of a label before a headline. Own choice."""
LEAST_WORDS: Final = 2
"""Minimum words of a lower headline that names a page. Own choice."""
LEAST_LETTERS: Final = 8
"""Minimum letters of a name from which a headline is cut. Own choice."""
SAID: Final = 0.3
"""Maximum share of the words of a lower headline that a headline has which does not say the same. Own choice."""
_COLON: Final = re.compile(r"\A(?:[^\s:]++\s)?[^\s:]++\s?:(?!:)\s*+(?=\S)")
"""Up to two words and a colon at the beginning of a headline."""
_ARROW: Final = re.compile(r"\s[›»>〉/]\s*")
"""What separates the steps of a trail."""
_NOTE: Final = re.compile(r"\s*[(\[【（]|\s+(?:Posted|Published|Written|Updated)\s+(?:on|by)\b", re.IGNORECASE)
"""What begins a note behind a headline: a bracket, or a line on its author and date."""


def without_colon_label(headline: str, names: Iterable[str]) -> str:
    """Return a headline without a label such as "Thread:", if another name of the page is the rest."""
    label = _COLON.match(headline)
    if label is None:
        return headline
    rest = headline[label.end() :]
    return rest if folded(rest) in map(folded, names) else headline


def without_label(headline: str, title: str | None, names: Iterable[str]) -> str:
    """Return a headline without the words before its name.

    Forums put a badge before the name of a thread: `News` beside `The harbour` in the headline, `News - The harbour` in
    the title, and `The harbour` in the metadata. A headline that has a trail before its name (`Blog › News › The
    harbour`) gives way to the title.
    """
    badges = [title[:begin] for begin, _ in separators(title)] if title else []
    arrows = list(_ARROW.finditer(headline))
    last = folded(headline[arrows[-1].end() :]) if len(arrows) > 1 else ""
    for name in names:
        own = folded(name)
        if len(own) < LEAST_LETTERS:
            continue
        if own == last:
            return name
        for badge in badges:
            label = folded(badge)
            joined = folded(headline) == f"{label} {own}"
            if joined and len(label.split()) <= LABEL_WORDS and not _apart(headline, badge):
                return name
    return headline


def without_note(headline: str, names: Iterable[str]) -> str:
    """Return a headline without a note in brackets, a byline or a glued tagline, if another name is all before it."""
    for name in sorted(set(names), key=len, reverse=True):
        if len(name) < LEAST_LETTERS or len(name) >= len(headline) or not headline.startswith(name):
            continue
        rest = headline[len(name) :]
        glued = rest[0].isupper() and name[-1].islower()
        if glued or _NOTE.match(rest):
            return name
    return headline


def named_below(title: str, headline: str | None, lower: Iterable[str]) -> str | None:
    """Return the beginning of the title that is the only one of the `lower` headlines, up to a separator but a colon.

    None if a number follows ("Page 2"), if the headline ends the title, or if it says what this beginning says; unless
    it begins with it too.
    """
    starts = _starts(title)
    found = {folded(one) for one in lower} & {one for one in starts if len(one.split()) >= LEAST_WORDS}
    if len(found) != 1:
        return None
    [own] = found
    name, rest = starts[own]
    if NUMBERED.fullmatch(first_piece(rest)):
        return None
    if headline is None or own in _starts(headline):
        return name
    if folded(headline) in {folded(title[end:]) for _, end in separators(title)}:
        return None
    words = set(own.split())
    return name if len(words & set(folded(headline).split())) <= SAID * len(words) else None


def _starts(title: str) -> dict[str, tuple[str, str]]:
    """Return the beginnings of a title, up to each separator but colons, and what follows, by their folded form."""
    cuts = [(begin, end) for begin, end in separators(title) if title[begin:end].strip() != ":"]
    return {folded(title[:begin]): (title[:begin], title[end:]) for begin, end in cuts}


def _apart(headline: str, badge: str) -> bool:
    """Return whether a headline has a separator after its beginning."""
    return any(folded(headline[:begin]) == folded(badge) for begin, _ in separators(headline))
