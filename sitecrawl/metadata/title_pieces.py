"""Cuts a title into pieces, and removes those at its ends that belong to the site."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

from sitecrawl.dom.scripts import count_words

MAX_CUTS: Final = 4
"""Maximum pieces at either end of a title that may belong to the site."""
LEAST: Final = 4
"""Minimum letters of a name to be recognised in a host name."""
LEAST_WORDS: Final = 2
"""Minimum words of a title without its ends, and of a piece that a line of the text repeats."""
_CUT: Final = re.compile(
    r"\s+(?:[-–—−|·•:»«›‹/~<>※◆]|::|--|\|\||&raquo;)+\s+|\s*[|｜•]+\s*|\s*::\s*|(?<=[^\W\d_])[_–—]+(?=[^\W\d_])|:\s+|\s+[-–—]\s*(?=\S+$)|"
    r"(?:(?<=[\u3040-\u9fff\uac00-\ud7a3])|(?<=）)|(?<=】)|(?<=」)|(?<=』)|(?<=！)|(?<=？))[-_](?=\S)"
)
"""Matches a separator of the pieces of a title."""
SECTION_NUMBER: Final = re.compile(
    r"\A(?:(?:[^\W\d_]{2,}\s+)?(?:[A-Z]\.)?\d+(?:\.\d+)*|[^\W\d_]{2,}\s+(?:[A-Z]|[IVXLC]+))\.?\s+(?=[^\W\d_])"
)
"""Matches the number of a section before its name: `2.3 Identifiers`, `Section D.3 Shapes`, `Appendix A Notation`."""
_SECTION: Final = re.compile(r"\A(?:[^\W\d_]++\s++)?((?:[A-Z]\.)?\d{1,3}(?:\.\d+)*)\.?")
"""Matches a title that is the number of a section: `Section 2.1`; a number of four digits is a year."""
_BRACKET: Final = re.compile(r"(?<!\s)\s++(?=(?:\([^()]*+\)|\[[^\[\]]*+\])\Z)")
"""Matches the white space before a last piece in brackets."""
NUMBERED: Final = re.compile(r"(?:[^\W\d_]+\W+)?\d+")
"""Matches a number, alone or after a word: "Page 3" is no title without the text before it."""
MOST: Final = 0.5
"""Minimum share of the pages with a beginning before a bare number for it to be a site's name. Own choice."""
PART: Final = 0.25
"""Minimum ratio of the share of a longer beginning to that of the most frequent one, and of the share of an end to that
of a removed beginning. Own choice."""
_CASES: Final = re.compile(r"[\W_]+")
_JOINT: Final = re.compile(r"(?<=[A-Za-z0-9_])(?:_+|::)(?=[A-Za-z0-9_])")
"""Matches a separator that may be inside an identifier: `bcc_field`, `Net::HTTP`."""
_WITHIN: Final = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]|（[^（）]*+）")
"""Matches a text in brackets."""
_TYPES: Final = re.compile(r"(?P<open>(?<=\w)<)|(?<![-=])>")
"""Matches the brackets around the types of a name in a programming language: `Array< Type, Size >`."""


def cuts(title: str, separator: re.Pattern[str] = _CUT) -> list[re.Match[str]]:
    """Return the separators of a title outside of brackets: "A library (Index - N)" has none."""
    title = _without_types(title) if "<" in title else title
    within = [one.span() for one in _WITHIN.finditer(title)]
    found = separator.finditer(title)
    return [cut for cut in found if not any(begin <= cut.start() and cut.end() <= end for begin, end in within)]


def _without_types(title: str) -> str:
    """Return a title with letters in place of the types of its names: `List< T, Map< K, V > >` is one word."""
    opened = list[int]()
    for mark in _TYPES.finditer(title):
        if mark["open"]:
            opened.append(mark.start())
        elif opened:
            begin = opened.pop()
            title = title[:begin] + "x" * (mark.end() - begin) + title[mark.end() :]
    return title


@lru_cache(2048)
def folded(title: str) -> str:
    """Return the letters and digits of a title in folded form, for comparison; the title itself if it has none."""
    return _CASES.sub(" ", title).strip().casefold() or title


@lru_cache(256)  # called several times per page
def affixes(title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the prefixes and suffixes of a title that may belong to the site, longest first."""
    every = cuts(title)
    before = [title[: cut.start()] for cut in every[:MAX_CUTS] if cut.start() > 0]
    after = [title[cut.end() :] for cut in every[-MAX_CUTS:] if cut.end() < len(title)]
    bracket = _BRACKET.search(title)
    if bracket is not None and bracket.start() > 0:
        after.append(title[bracket.end() :])
    return tuple(before[::-1]), tuple(after)


def separators(title: str) -> list[tuple[int, int]]:
    """Return the (start, end) of each separator of a title."""
    return [cut.span() for cut in cuts(title)]


def first_piece(title: str) -> str:
    """Return a title up to its first separator."""
    every = cuts(title)
    return title[: every[0].start()] if every else title


def shown_piece(title: str, lines: Iterable[str]) -> str | None:
    """Return the title, or the longest beginning or end of it, that is a whole line of the text; None if none is.

    It has two words or more, since single words are also labels and names of sites.
    """
    shown = {folded(one) for one in lines}
    whole = [(0, 0), *separators(title), (len(title),) * 2]
    pieces = {title[begin:] for _, begin in whole[:-1]} | {title[:end] for end, _ in whole[1:]}
    own = [one for one in pieces if count_words(one) >= LEAST_WORDS and folded(one) in shown]
    return max(own, key=len, default=None)


def named_by_number(title: str, headlines: Iterable[str]) -> str | None:
    """Return the headline that names the section of which a title is only the number; None if there is none.

    Manuals have titles such as `Section 2.1` above a headline such as `2.1 Moles`.
    """
    section = _SECTION.fullmatch(title)
    if section is None:
        return None
    numbers = ((one, SECTION_NUMBER.match(one)) for one in headlines)
    return next((one for one, number in numbers if number and number[0].split()[-1].rstrip(".") == section[1]), None)


class SiteNames:
    """The names of a site: the given ones, and those that have the letters of its host name."""

    def __init__(self, names: set[str], host: str) -> None:
        self.names = names
        self.host = host

    def __contains__(self, name: str) -> bool:
        letters = squeezed(name.removeprefix("the "))
        return name in self.names or (len(letters) >= LEAST and letters in self.host)


@lru_cache(1024)
def squeezed(name: str) -> str:
    """Return the letters and digits of a name, without case."""
    return _CASES.sub("", name).casefold()


def without_site(title: str, sites: SiteNames, shared: Callable[[str, str], float]) -> str:
    """Return a title after repeatedly removing the longest end that belongs to the site; never empty."""
    least = 0.0
    for _ in range(MAX_CUTS):
        before, after = affixes(title)
        ends = ((one, _end_share(title, one, sites, shared)) for one in after)
        end, ended = next(((one, share) for one, share in ends if share), ("", 0.0))
        starts = [(one, _start_share(title, one, sites, shared)) for one in before]
        # "Site: Re" belongs to the site if most pages begin with it; "Site: Re: A thread of ten pages" does not
        bound = max((min(share, 1.0) for _, share in starts), default=0.0) * PART
        start, started = next(((one, share) for one, share in starts if share and share >= bound), ("", 0.0))
        # an end on fewer pages than the beginning may be the subject of several pages: "Site: A thread of ten pages"
        short = _cut_end(title, end) if end and ended >= max(started, least * PART) else title
        if start and short.startswith(start):
            rest = cut_start(short, start)
            if started >= MOST or not NUMBERED.fullmatch(rest):
                short, least = rest, max(least, min(started, 1.0))
        if short == title:
            break
        title = short
    return title


def _start_share(title: str, start: str, sites: SiteNames, shared: Callable[[str, str], float]) -> float:
    """Return the share of pages with a beginning; 0 for the first part of an identifier.

    A declared name of the site before several words does not count as part of an identifier.
    """
    if _is_joint(title, len(start)) and not (folded(start) in sites.names and _has_words(cut_start(title, start))):
        return 0.0
    return _share(start, "prefix", sites, shared)


def _end_share(title: str, end: str, sites: SiteNames, shared: Callable[[str, str], float]) -> float:
    """Return the share of pages with an end; 0 for the last part of an identifier.

    Not part of an identifier are a declared name of the site, and an end after several words that has several words
    itself or is on most pages.
    """
    share = _share(end, "bracket" if end[0] in "([" else "suffix", sites, shared)
    place = len(title) - len(end)
    if not _is_joint(title, place) or folded(end) in sites.names:
        return share
    return share if _has_words(title[:place]) and (_has_words(end) or share >= MOST) else 0.0


def _is_joint(title: str, place: int) -> bool:
    """Return whether the separator at a position may be inside an identifier."""
    return any(place in one.span() for one in _JOINT.finditer(title))


def _has_words(piece: str) -> bool:
    """Return whether a piece of a title, up to its first separator, is several words or not ASCII, so no identifier."""
    first = first_piece(piece)
    return " " in first or not first.isascii()


def _share(piece: str, kind: str, sites: SiteNames, shared: Callable[[str, str], float]) -> float:
    """Return the share of pages with a piece of a title that belongs to the site; 2 for a name of the site."""
    return 2.0 if folded(piece) in sites else float(shared(kind, piece))


def _cut_end(title: str, after: str) -> str:
    for cut in (*cuts(title), *_BRACKET.finditer(title)):
        if title[cut.end() :] == after and cut.start() > 0:
            return title[: cut.start()].rstrip()
    return title


def cut_start(title: str, before: str) -> str:
    """Return a title without this beginning and the separator after it."""
    for cut in cuts(title):
        if title[: cut.start()] == before and cut.end() < len(title):
            return title[cut.end() :]
    return title
