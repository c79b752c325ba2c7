"""Finds further articles that follow the article of a page, as on sites that load the next articles at the end.

Each of them has a separate page, so a page with five articles is judged as if the other four did not exist. The page's
own article is the first one, and its headline is the title of the page. A following similar element is a further
article if other pages have most of its text too. Without other pages it must be marked as an article, and one of these
must show that it has a separate page: an `h1`, a headline that leads to another page, or the name of the page's own
article. Sections of a long page have none of these. [OWN]
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from operator import sub
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.article_marks import HEADLINES, is_article, is_headline, other_page
from sitecrawl.extractors.combined.listing_words import is_slug_of, title_parts
from sitecrawl.extractors.combined.statistics import SiteStatistics
from sitecrawl.extractors.combined.thread_addresses import is_thread_page

MANY: Final = 2
"""Minimum headlines of a page with a further article."""
TRIED: Final = 3
"""Maximum headlines with the title of the page that are tried as that of its own article: the title may be repeated
above the article."""
OWN, OWN_ALONE = 30, 100
"""Minimum characters outside links of the page's own article: if other pages have the further ones, and if they are
recognised only by their marks. The title page of a book has few. Own choice."""
LONG: Final = 300
"""Minimum characters outside links of at least one further article: teasers have fewer. Own choice."""
SHARED: Final = 0.8
"""Minimum share of these characters that other pages have. Own choice: in 16 recorded blogs whose articles were
concatenated for a test it is 1.0; details of a reference have up to 0.92."""
MOST: Final = 0.5
"""Minimum share of the long candidates in one place that other pages have. Own choice: on a page of sections with the
site's own paragraph among them it is one in ten."""
FEW, FEW_SHARE = 9, 0.02
"""Maximum number and share of pages with the headline of a further article, whichever is more: headings of a reference
are on more pages. Own choice: on those blogs nearly all are on 2 to 8 pages, in the reference on 10 and 29."""
SLUG: Final = 8
"""Minimum characters of the last path segment that contains the name of the page's own article. Own choice."""
HALF: Final = 0.5
"""Maximum share of the pages of a small site with that headline. Own choice."""
TEXTS: Final = 40
"""Rows of a headline that are read."""
LEVELS: Final = 30
"""Maximum steps from a headline to the element that contains both articles."""
_WORD: Final = re.compile(r"[^\W_]+")


class _Headline(NamedTuple):
    row: int
    text: str
    words: str
    """Its words in lower case, separated by spaces."""


class _Candidate(NamedTuple):
    row: int
    headline: int
    """Row of its headline."""
    own: int
    """Row of the page's own article, a sibling."""


def further_articles(page: Page, blocks: Blocks, site: SiteStatistics | None) -> list[int]:
    """Return the rows of the further articles of a page, in document order.

    `site` has the sums of the template of its layout, which contains the texts that two pages have in the same place. A
    thread has no further articles, and neither has a page without a headline that is its title.
    """
    flat = page.flat
    rows = rows_with(vocabulary(flat).tags, HEADLINES, range(len(flat)))
    if len(rows) < MANY:
        return []
    headlines = _headlines(flat, rows)
    naming = _names_of(page.title or "")
    named = [one for one in headlines if one.words in naming]
    named = named or [one for one in headlines if is_slug_of(page.url, one.text)]
    if not named or is_thread_page(page.url, flat):
        return []
    longest = max(one.words.count(" ") for one in named)  # a shorter one may be the name of the site
    for own in [one for one in named if one.words.count(" ") == longest][:TRIED]:
        if any(_has(one, own) and one.words != own.words for one in headlines if one.row < own.row):
            continue  # a section with the name of the page, such as the constructor of a class
        found = _following(page, blocks, site, headlines, own)
        if found:
            return found
    return []


def _following(
    page: Page, blocks: Blocks, site: SiteStatistics | None, headlines: list[_Headline], own: _Headline
) -> list[int]:
    """Return the rows of the articles that follow the page's own article; none if that has too little text."""
    flat, candidates = page.flat, list(_candidates(page, headlines, own))
    long = [one for one in candidates if _plain(blocks, *blocks_below(flat, blocks, one.row)) >= LONG]
    elsewhere = _most(flat, [one for one in long if _is_elsewhere(flat, blocks, one, site)], long)
    further = elsewhere or [one for one in long if _is_further(page, one)]
    places = {_place(flat, one) for one in further}
    found = _through(flat, [one.row for one in candidates if _place(flat, one) in places])
    if not found:
        return []
    above = _plain(blocks, bisect_left(blocks.first, own.row), bisect_left(blocks.first, found[0]))
    return found if above >= (OWN if elsewhere else OWN_ALONE) else []


def _most(flat: FlatDom, elsewhere: list[_Candidate], long: list[_Candidate]) -> list[_Candidate]:
    """Return the candidates that other pages have, if most long ones in their places are among them.

    Where most are the page's own, one that other pages have too is a section that the site repeats.
    """
    known, all_there = (Counter(_place(flat, one) for one in some) for some in (elsewhere, long))
    return [one for one in elsewhere if known[_place(flat, one)] >= MOST * all_there[_place(flat, one)]]


def _place(flat: FlatDom, one: _Candidate) -> tuple[int, str]:
    """Return the parent and the tag of a candidate: further articles are siblings with one tag."""
    return flat.parent[one.row], flat.tag[one.row]


def _through(flat: FlatDom, rows: list[int]) -> list[int]:
    """Return the sibling rows from the first to the last of `rows`, with pictures and short articles in between."""
    found, last = rows[:1], rows[-1] if rows else -1
    while found and found[-1] < last and flat.end[found[-1]] <= last:
        found.append(flat.end[found[-1]])
    return found


def _headlines(flat: FlatDom, rows: list[int]) -> list[_Headline]:
    """Return the headlines in `rows` that have words."""
    found = []
    for row in rows:
        text = "".join(flat.text[row : min(flat.end[row], row + TEXTS)])
        if words := _words(text):
            found.append(_Headline(row, text, words))
    return found


def _has(one: _Headline, other: _Headline) -> bool:
    """Return whether a headline contains the words of another one, in the same sequence."""
    return f" {other.words} " in f" {one.words} "


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _names_of(title: str) -> frozenset[str]:
    """Return the texts of a headline that count as the title of a page: the title, or its first or last parts."""
    parts = title_parts(title)
    runs = [parts[:stop] for stop in range(1, len(parts) + 1)] + [parts[begin:] for begin in range(1, len(parts))]
    return frozenset(filter(None, (_words(title), *(_words(" ".join(run)) for run in runs))))


def _candidates(page: Page, headlines: list[_Headline], own: _Headline) -> Iterator[_Candidate]:
    """Yield the elements after the page's own article that are similar to it.

    A headline of another level counts if its article is marked as such, or if it leads to another page; otherwise it is
    the heading of a section. An element that repeats the page's own headline is an answer, and is left out.
    """
    flat, done = page.flat, own.row
    for one in headlines:
        row = one.row
        if row < done or row == own.row or _has(one, own):
            continue
        article, first = _articles(flat, row, own.row)
        if article == row:
            continue
        if flat.tag[row] == flat.tag[own.row] or _is_marked(flat, article, row) or other_page(page, row) is not None:
            done = flat.end[article]
            yield _Candidate(article, row, first)


def _articles(flat: FlatDom, row: int, own: int) -> tuple[int, int]:
    """Return the elements around two headlines that are siblings; the first headline twice if they are not similar.

    They are similar if the elements between headline and article have the same tags.
    """
    tag, parent, start = flat.tag, flat.parent, row
    for _ in range(LEVELS):
        if parent[row] == parent[own]:
            return row, own
        row, own = parent[row], parent[own]
        if min(row, own) <= 0 or tag[row] != tag[own]:
            break
    return start, start


def _is_further(page: Page, one: _Candidate) -> bool:
    """Return whether a candidate shows, without other pages, that it has a separate page."""
    flat = page.flat
    if not _is_marked(flat, one.row, one.headline):
        return False
    if flat.tag[one.headline] == "h1" or other_page(page, one.headline) is not None:
        return True
    slug = unquote(urlsplit(page.url).path).rstrip("/").rpartition("/")[2].partition(".")[0]
    return len(slug) >= SLUG and slug in flat.names[one.own].split()


def _is_marked(flat: FlatDom, row: int, headline: int) -> bool:
    """Return whether an element, or its headline, is marked as that of an article."""
    return is_article(flat, row) or is_headline(flat, headline)


def _plain(blocks: Blocks, begin: int, stop: int) -> int:
    """Return the characters outside links of the blocks `begin:stop`."""
    return sum(map(sub, blocks.chars[begin:stop], blocks.link_chars[begin:stop]))


def _is_elsewhere(flat: FlatDom, blocks: Blocks, one: _Candidate, site: SiteStatistics | None) -> bool:
    """Return whether other pages have most of an article, and only some of them its headline."""
    if site is None:
        return False
    begin, stop = blocks_below(flat, blocks, one.row)
    shared = sum(
        blocks.chars[block] - blocks.link_chars[block]
        for block in range(begin, stop)
        if flat.path[blocks.first[block]] in site.paths
    )
    if shared < SHARED * _plain(blocks, begin, stop):
        return False
    headline = site.paths.get(flat.path[blocks.first[bisect_left(blocks.first, one.headline)]])
    return headline is None or headline.pages <= min(max(FEW, FEW_SHARE * site.pages), HALF * site.pages)
