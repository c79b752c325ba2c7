"""Finds the title of a page without the site's name, from the parts that titles share and the page's other names."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.dom.scripts import UNSPACED_CLASS, count_words
from sitecrawl.metadata.headline_ends import (
    in_mixed_case,
    named_below,
    numbered,
    separated,
    without_colon_label,
    without_label,
    without_note,
)
from sitecrawl.metadata.title_paths import is_spelled, names_file
from sitecrawl.metadata.title_pieces import (
    LEAST_WORDS,
    MAX_CUTS,
    SECTION_NUMBER,
    SiteNames,
    affixes,
    cut_start,
    cuts,
    first_piece,
    folded,
    named_by_number,
    separators,
    shown_piece,
    squeezed,
    without_site,
)

AGREEMENT: Final = 0.5
"""Minimum share of the words of an only headline that must be in the title or another name of the page, since the
headline of some pages is a slogan. Chosen on the single pages of WCXB."""
LONG_HEADLINE: Final = 9
"""Number of words of a headline from which half of that share is enough."""
CLOSE_AGREEMENT: Final = 0.75
"""The same minimum share for one of several headlines."""
COVER: Final = 0.4
"""Minimum share of the words of the title or a name, up to its first separator, that one of several headlines must
have, since a headline of one word is often in the title by chance."""
END_WORDS: Final = 5
END_LETTERS: Final = 10
"""Maximum words of an end that is removed without evidence, and maximum letters in scripts without spaces."""
MAX_ENDS: Final = 4
"""Maximum ends that are removed without evidence."""
GLUED: Final = 4
"""Minimum characters of a site's name that is joined to the title by a mark without spaces. Own choice."""
_TYPES: Final = re.compile(r"(?<=\w)<[^<>]*(?:<[^<>]*>[^<>]*)*>")
"""Matches the types of a name, which its title may leave out: "Class Mole<Stone>"."""
_GLUE: Final = tuple(":：_|｜/・-–—")
"""The marks that may join a site's name to the title."""
_HOMES: Final = frozenset(("home", "homepage", "home page", "start", "startseite", "accueil", "inicio"))
"""Names that sites give their front page."""
_END: Final = re.compile(
    r"\s[-–—]\s|[|｜]|\s[·•»]\s|\s(?://|::|[<>〉»])\s|\s_(?=\S)"
    rf"|(?<=[{UNSPACED_CLASS}])[-_](?=\S)|(?<=[^\w\s])_(?=[{UNSPACED_CLASS}])"
)
_SLASH: Final = re.compile(r"\s/\s")
_DANGLING: Final = re.compile(r"\A(?:[-–—−|·•»«:]\s+)+(?=\S)|(?<=\S)(?:\s+[-–—−|·•»«:])+\Z")
"""Matches separators at an end of the title, left by a site's template with an empty name."""
_NAMELESS: Final = re.compile(r"\s*(?:[-–—−|·•»]\s)+|[^:]*[^:\s]:\s*\Z")
"""Matches a title without a page name: a separator at the beginning, or a colon at the end; the rest is the site's."""


def page_title(
    title: str | None,
    names: Iterable[str],
    headings: Iterable[str],
    site_names: Iterable[str],
    shared: Callable[[str, str], float],
    url: str = "",
    *,
    lower: str | None = None,
    below: Iterable[str] = (),
    inner: str | None = None,
    alone: bool = False,
    front: bool = False,
    opening: Iterable[str] = (),
    above: Iterable[str] = (),
) -> str | None:
    """Return the title of a page.

    A piece with the letters of the host of `url` is the site's name, and so are the declared `site_names`. `shared`
    returns the share of the pages, 0..1, with a `title`, `prefix`, `suffix` or last `bracket` that belongs to the site,
    and 1 for a `heading` of several pages. The only headline of the page is preferred, then a piece of the title that
    is also another name of the page. A title that several pages have is replaced by the only headline that no other
    page has (perhaps the `lower` one of a page without `h1`), or else by the `inner` headline of the content. A title
    that is a file name is replaced by the only headline, if that has several words. With `alone`, without other pages,
    a piece of the title that `_shown` finds is preferred where no headline is, and else a short end of the title counts
    as the site's name. The title of a `front` page begins with that name.
    """
    site_names = tuple(site_names)
    names = tuple(_unglued(name, site_names) for name in names)
    nameless = title is not None and _NAMELESS.match(title) is not None
    title = _DANGLING.sub("", _unglued(title, site_names)) if title else title
    headings = tuple(separated(one, (title, *names)) for one in headings)
    parts = urlsplit(url)
    sites = SiteNames(set(map(folded, site_names)), squeezed((parts.hostname or "").removeprefix("www.")))
    own = [one for one in dict.fromkeys((*names, *headings)) if folded(one) not in sites and not shared("title", one)]
    own_headings = [one for one in headings if one in own]
    headline = _headline(title, names, own_headings, sites, shared)
    under = named_below(title, headline, below) if title is not None and not front else None
    if under is not None and title is not None and _is_own(under, title, sites, shared):
        return under
    if front and title is not None and (headline is None or folded(_front_title(title)) in map(folded, headings)):
        return _front_title(title)
    if headline is not None:
        short_names = [without_site(one, sites, shared) for one in (title, *names) if one]
        return numbered(headline, short_names, shared) or _trimmed(headline, title, short_names)
    if alone and title and not shared("heading", title) and (piece := _shown(title, opening, above, sites)) is not None:
        return without_site(piece, sites, shared)
    if (named := _by_path(title, [one for one in own_headings if not shared("heading", one)], parts.path)) is not None:
        return named
    if title is None or nameless or shared("heading", title):
        lowest = [lower] if lower and folded(lower) not in sites else []
        if (single := _single(own_headings or lowest, shared)) is not None:
            return without_site(single, sites, shared)
    if title is None or folded(title) in sites or shared("title", title):
        return _replaced(title, own, inner, sites, shared)
    short = without_site(title, sites, shared)
    agreed = named_by_number(short, (*own_headings, lower or "")) or _agreed(short, own, shared)
    if alone and (agreed is None or (agreed == short and folded(short) not in map(folded, headings))):
        return _without_end(short)
    return short if agreed is None else without_site(agreed, sites, shared)


def _shown(title: str, opening: Iterable[str], above: Iterable[str], sites: SiteNames) -> str | None:
    """Return the piece of a title that is a line of the `opening` of the content, or else one of the lines `above` it.

    The nearest of these is tried first. None if there is no such piece.
    """
    single = ((one,) for one in above if folded(one) not in sites)
    return next(filter(None, (shown_piece(title, lines) for lines in (opening, *single))), None)


def _single(headings: Iterable[str], shared: Callable[[str, str], float]) -> str | None:
    """Return the only one of the headings that has letters and is on no other page; None if it is not the only one."""
    found = [one for one in headings if not shared("heading", one) and any(map(str.isalpha, one))]
    return found[0] if len(found) == 1 else None


def _replaced(
    title: str | None, own: Sequence[str], inner: str | None, sites: SiteNames, shared: Callable[[str, str], float]
) -> str | None:
    """Return the replacement of a title that the site or many pages have: the `inner` headline, or an `own` name."""
    if title is not None and inner and all(shared("heading", one) for one in own):
        return inner
    if own:
        return without_site(own[0], sites, shared)
    if title is not None and not shared("title", title):
        return without_site(title, sites, shared)  # some sites declare the whole title as their name
    return title


def _unglued(title: str, site_names: Iterable[str]) -> str:
    """Return a title without a site's name that is joined to its end by a mark without spaces."""
    for name in site_names:
        rest = title[: -len(name)]
        if len(name) >= GLUED and title.endswith(name) and rest[-1:] in _GLUE and count_words(rest) >= LEAST_WORDS:
            return rest[:-1].rstrip()
    return title


def _trimmed(headline: str, title: str | None, names: Sequence[str]) -> str:
    """Return a headline without label, note and capitals, by comparison with the other names of the page."""
    others = [one for one in names if folded(one) != folded(headline)]
    names = tuple(dict.fromkeys((*names, *map(_without_end, others))))
    own = without_label(headline, title, names)
    if own == headline and (title is None or folded(headline) not in folded(title)):
        own = without_note(without_colon_label(own, names), names)
    return in_mixed_case(own, names)


def _headline(
    title: str | None,
    names: Iterable[str],
    headings: Iterable[str],
    sites: SiteNames,
    shared: Callable[[str, str], float],
) -> str | None:
    """Return the only `h1` of a page if it agrees with the title; None if it does not, or if there are several."""
    given = [one for one in (title, *names) if one]
    words = [set(folded(one).split()) for one in given]
    pieces = [folded(first_piece(one)) for one in given]
    found: dict[str, float] = {}
    first: dict[str, str] = {}
    for heading in headings:
        if not any(map(str.isalpha, heading)) or shared("heading", heading):
            continue
        short = without_site(heading, sites, shared)
        short = first.setdefault(folded(short), short)  # pages repeat their headline with other case or marks
        own = set(folded(_TYPES.sub(" ", short)).split())
        agreement = max((len(own & others) / len(own) for others in words), default=0.0)
        found[short] = agreement if len(own) < LONG_HEADLINE else agreement * 2
        if (number := SECTION_NUMBER.match(short)) is not None:
            name = folded(short[number.end() :])
            if name in pieces or name in [folded(without_site(one, sites, shared)) for one in given]:
                found[short] = 1.0
    if len(found) == 1:
        return next((one for one, agreement in found.items() if agreement >= AGREEMENT), None)
    least = COVER * min((len(set(one.split())) for one in pieces), default=0)
    agreeing = [
        one
        for one, agreement in found.items()
        if agreement >= CLOSE_AGREEMENT and len(set(folded(one).split())) >= least
    ]
    return agreeing[0] if len(agreeing) == 1 else _piece(agreeing, title, names)


def _piece(headings: list[str], title: str | None, names: Iterable[str]) -> str | None:
    """Return the one of several headlines that is a piece of the title, if the others contain all its words.

    Otherwise it must be the only headline that is a piece of the title, and the longest one. None if there is none.
    """
    if title is None:
        return None
    pieces = {folded(one) for ends in affixes(title) for one in ends}
    pieces.update(own for own in map(folded, names) if own in folded(title))
    known = sorted((one for one in headings if folded(one) in pieces), key=len)
    if not known:
        return None
    own = folded(known[0])
    if len(own.split()) >= LEAST_WORDS and all(f" {own} " in f" {folded(one)} " for one in headings):
        return known[0]
    return known[0] if len(known) == 1 and len(known[0]) == max(map(len, headings)) else None


def _is_own(start: str, title: str, sites: SiteNames, shared: Callable[[str, str], float]) -> bool:
    """Return whether the beginning of a title belongs to the page, and has no end that belongs to the site."""
    if folded(start) in sites or shared("prefix", start) or shared("title", start):
        return False
    return len(start) <= len(without_site(title, sites, shared))


def _front_title(title: str) -> str:
    """Return the title of a front page without "Home", and without a short last piece."""
    before, _ = affixes(title)
    home = next((one for one in before if folded(one) in _HOMES), None)
    return _without_end(cut_start(title, home) if home else title, 1)


def _without_end(title: str, most: int = MAX_ENDS) -> str:
    """Return a title without last pieces of a few words after bars or dashes, or after slashes if it has neither.

    They are usually the site's section and name.
    """
    ends = cuts(title, _END) or cuts(title, _SLASH)
    for cut in ends[: -most - 1 : -1]:
        end, rest = title[cut.end() :], title[: cut.start()].rstrip()
        if len(end.split()) > END_WORDS or count_words(end) > END_LETTERS or count_words(rest) < LEAST_WORDS:
            break
        title = rest
    return title


def _by_path(title: str | None, headings: Sequence[str], path: str) -> str | None:
    """Return the only headline with the words of the path; if the title is the file name, the only one of two words."""
    spelled = [one for one in headings if is_spelled(one, path)]
    if len(spelled) == 1:
        return spelled[0]
    names = {folded(SECTION_NUMBER.sub("", one)) for one in headings}
    if title is None or len(names) != 1 or not names_file(title, path):
        return None
    return next((one for one in headings if count_words(one) >= LEAST_WORDS and any(map(str.isalpha, one))), None)


def _agreed(title: str, own: list[str], shared: Callable[[str, str], float]) -> str | None:
    """Return the longest sequence of a title's pieces that is also another name of the page; None if there is none.

    At the end of a title, headlines of several pages do not count.
    """
    sections = {folded(one) for one in own if shared("heading", one)}
    places = [(0, 0), *separators(title)[: 2 * MAX_CUTS], (len(title),) * 2]
    known = {folded(name) for name in own}
    if folded(title) in known:
        return title
    best = ""
    for i, (_, begin) in enumerate(places[:-1]):
        for end, _ in places[i + 1 :]:
            piece = title[begin:end]
            at_end = end == len(title) and folded(piece) not in sections
            if len(piece) > len(best) and folded(piece) in known and (begin == 0 or at_end):
                best = piece
        if best and begin == 0:
            break  # the name of the site is usually last
    if best:
        return best
    if title.endswith(("…", "...")):
        start = folded(title.rstrip("….").rstrip())
        return next((name for name in own if len(start) >= 10 and folded(name).startswith(start)), None)
    return None
