"""Cuts a title into pieces, and takes off those at its ends that are the site's."""

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final

MAX_CUTS: Final = 4
"""Maximum pieces at either end of a title that may be the site's."""
LEAST: Final = 4
"""Minimum letters of a name to be recognised in a host name."""
_CUT: Final = re.compile(
    r"\s+(?:[-–—−|·•:»«›‹/~<>※◆]|::|--|\|\||&raquo;)+\s+|\s*[|｜•]+\s*|\s*::\s*|(?<=[^\W\d_])[_–—]+(?=[^\W\d_])|:\s+|\s+[-–—]\s*(?=\S+$)|"
    r"(?:(?<=[\u3040-\u9fff\uac00-\ud7a3])|(?<=）)|(?<=】)|(?<=」)|(?<=』)|(?<=！)|(?<=？))[-_](?=\S)"
)
"""Separators of the pieces of a title."""
_BRACKET: Final = re.compile(r"(?<!\s)\s++(?=(?:\([^()]*+\)|\[[^\[\]]*+\])\Z)")
"""White space before a last piece in brackets."""
NUMBERED: Final = re.compile(r"(?:[^\W\d_]+\W+)?\d+")
"""A number, after a word or alone: "Page 3" says nothing without what stands before it."""
MOST: Final = 0.5
"""Share of the pages below which a beginning before a bare number is no site's name. Own choice."""
PART: Final = 0.25
"""Minimum share of a longer beginning, in that of the most frequent one; and of a later end, in that of a beginning
which was cut. Own choice."""
_CASES: Final = re.compile(r"[\W_]+")
_JOINT: Final = re.compile(r"(?<=[A-Za-z0-9_])(?:_+|::)(?=[A-Za-z0-9_])")
"""A separator that may stand inside an identifier: `bcc_field`, `Net::HTTP`."""
_WITHIN: Final = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]|（[^（）]*+）")
"""A text in brackets."""


def cuts(title: str, separator: re.Pattern[str] = _CUT) -> list[re.Match[str]]:
    """Return the separators of a title outside of brackets: "A library (Index - N)" has none."""
    within = [one.span() for one in _WITHIN.finditer(title)]
    found = separator.finditer(title)
    return [cut for cut in found if not any(begin <= cut.start() and cut.end() <= end for begin, end in within)]


@lru_cache(2048)
def folded(title: str) -> str:
    """Return the letters and digits of a title in folded form, for comparison; the title itself if it has none."""
    return _CASES.sub(" ", title).strip().casefold() or title


@lru_cache(256)  # called several times per page
def affixes(title: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the possible prefixes and suffixes of a title that may be the site's, longest first."""
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


class SiteNames:
    """The names of a site: those given, and those that spell its host name."""

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
    """Remove the longest ends that are the site's, repeatedly; something always remains."""
    least = 0.0
    for _ in range(MAX_CUTS):
        before, after = affixes(title)
        ends = ((one, _end_share(title, one, sites, shared)) for one in after)
        end, ended = next(((one, share) for one, share in ends if share), ("", 0.0))
        starts = [(one, _start_share(title, one, sites, shared)) for one in before]
        # "Site: Re" is the site's if most of its pages begin so; "Site: Re: A thread of ten pages" is not
        bound = max((min(share, 1.0) for _, share in starts), default=0.0) * PART
        start, started = next(((one, share) for one, share in starts if share and share >= bound), ("", 0.0))
        # an end on fewer pages than the beginning may be the subject of several: "Site: A thread of ten pages"
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

    A declared name of the site before several words is none.
    """
    if _is_joint(title, len(start)) and not (folded(start) in sites.names and _has_words(cut_start(title, start))):
        return 0.0
    return _share(start, "prefix", sites, shared)


def _end_share(title: str, end: str, sites: SiteNames, shared: Callable[[str, str], float]) -> float:
    """Return the share of pages with an end; 0 for the last part of an identifier.

    A declared name of the site is none, nor what follows several words, if it has several too or is on most pages.
    """
    share = _share(end, "bracket" if end[0] in "([" else "suffix", sites, shared)
    place = len(title) - len(end)
    if not _is_joint(title, place) or folded(end) in sites.names:
        return share
    return share if _has_words(title[:place]) and (_has_words(end) or share >= MOST) else 0.0


def _is_joint(title: str, place: int) -> bool:
    """Return whether a separator that begins or ends at a place may stand inside an identifier."""
    return any(place in one.span() for one in _JOINT.finditer(title))


def _has_words(piece: str) -> bool:
    """Return whether a piece of a title, up to its first separator, is several words or not ASCII: no identifier."""
    first = first_piece(piece)
    return " " in first or not first.isascii()


def _share(piece: str, kind: str, sites: SiteNames, shared: Callable[[str, str], float]) -> float:
    """Return the share of pages with a piece of a title that is the site's; 2 for a name of the site."""
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
