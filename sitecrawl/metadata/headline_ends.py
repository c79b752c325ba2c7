"""Compares a headline with the other names of its page.

Removes labels, notes, taglines and capitals that another name lacks; completes a number, and spaces between words.
"""

import re
from collections.abc import Callable, Iterable
from typing import Final

from sitecrawl.dom.scripts import count_words
from sitecrawl.metadata.title_pieces import NUMBERED, first_piece, folded, separators, squeezed

LABEL_WORDS: Final = 3
"""Maximum words of a label before a headline. Own choice."""
LEAST_WORDS: Final = 2
"""Minimum words of a lower headline that is the title of a page. Own choice."""
LEAST_LETTERS: Final = 8
"""Minimum letters of a name for a headline to be cut to it. Own choice."""
COMMON: Final = 0.3
"""Maximum share of the words of a lower headline that are in a headline with another meaning. Own choice."""
_COLON: Final = re.compile(r"\A(?:[^\s:]++\s)?[^\s:]++\s?:(?!:)\s*+(?=\S)")
"""Matches up to two words and a colon at the beginning of a headline."""
_ARROW: Final = re.compile(r"\s[›»>〉/]\s*")
"""Matches a separator of breadcrumbs."""
_NOTE: Final = re.compile(
    r"\s*[(\[【（]|\s+[-–—|]\s|\s+(?:Posted|Published|Written|Updated)\s+(?:on|by)\b", re.IGNORECASE
)
"""Matches the beginning of a note after a headline: a bracket, a dash or bar, or words before author and date."""


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
    the title, and `The harbour` in the metadata. If breadcrumbs are before the name (`Blog › News › The harbour`), the
    title is returned.
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
    """Return a headline cut after another name of the page: without a note, a byline or a joined tagline."""
    for name in sorted(set(names), key=len, reverse=True):
        if len(name) < LEAST_LETTERS or len(name) >= len(headline) or not headline.startswith(name):
            continue
        rest = headline[len(name) :]
        glued = rest[0].isupper() and name[-1].islower()
        if glued or _NOTE.match(rest):
            return name
    return headline


def named_below(title: str, headline: str | None, lower: Iterable[str]) -> str | None:
    """Return the beginning of the title, up to a separator other than a colon, that is exactly one `lower` headline.

    None if a number follows ("Page 2"), if the headline is the end of the title, or if it has the meaning of this
    beginning without beginning with it.
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
    return name if len(words & set(folded(headline).split())) <= COMMON * len(words) else None


def numbered(headline: str, names: Iterable[str], shared: Callable[[str, str], float]) -> str | None:
    """Return the first of a page's names that consists of a headline such as "Bug 10", a colon, and further words."""
    for name in names if NUMBERED.fullmatch(headline) else ():
        for begin, end in separators(name)[:1]:
            colon = folded(name[:begin]) == folded(headline) and name[begin:end].strip() == ":"
            if colon and not shared("heading", name[end:]):
                return name
    return None


def separated(headline: str, names: Iterable[str | None]) -> str:
    """Return another name of the page that equals a headline except for separators between its words; else it.

    Style sheets may insert the dots of `Gtk.Window.show`, so that the text of the headline has none.
    """
    letters, words = squeezed(headline), len(folded(headline).split())
    return next(
        (one for one in names if one and squeezed(one) == letters and len(folded(one).split()) > words), headline
    )


def in_mixed_case(headline: str, names: Iterable[str]) -> str:
    """Return a headline of several words in capitals as another name of the page writes it, if one has its words."""
    if not headline.isupper() or count_words(headline) < LEAST_WORDS:
        return headline
    pieces = (piece for name in names for piece in (name, first_piece(name)))
    return next((one for one in pieces if folded(one) == folded(headline) and not one.isupper()), headline)


def _starts(title: str) -> dict[str, tuple[str, str]]:
    """Return (beginning, rest) of a title at each separator except colons, by the folded form of the beginning."""
    cuts = [(begin, end) for begin, end in separators(title) if title[begin:end].strip() != ":"]
    return {folded(title[:begin]): (title[:begin], title[end:]) for begin, end in cuts}


def _apart(headline: str, badge: str) -> bool:
    """Return whether a headline has a separator after its beginning."""
    return any(folded(headline[:begin]) == folded(badge) for begin, _ in separators(headline))
