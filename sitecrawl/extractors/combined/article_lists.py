"""Decides whether a page lists whole articles that also have separate pages, such as the front page of a blog.

Such a page has as much text as an article, so the forest for listings takes it for one. Its markup decides: several
siblings, each perhaps alone in a box, are marked as articles, and the headline of each links to another page of the
site. A headline is a heading, or a line at the top that is a link. [OWN]
"""

from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate, chain, islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.article_marks import HEADLINES, is_article, names_article, other_page
from sitecrawl.extractors.combined.class_hints import COMMENT, OWN_MARKS
from sitecrawl.extractors.combined.thread_addresses import is_thread_page

LEAST: Final = 3
"""Minimum number of articles."""
SHARE: Final = 0.8
"""Minimum share of the kept characters in the articles. Both were chosen on all recorded sites and the page sets
(docs/combined-rules.md)."""
OWN_PAGES: Final = 0.8
"""Minimum share of the articles whose headline leads to a page that no other headline leads to."""
LEVELS: Final = 8
"""Maximum steps from a headline to its article."""
LEADING: Final = 3
"""Number of first lines of an article that may be its headline if that is no heading, below a date for example. Own
choice."""
_OUTERMOST: Final = frozenset(("html", "body"))


def lists_articles(page: Page, blocks: Blocks, kept: list[bool]) -> bool:
    """Return whether most of the kept text is in sibling articles whose headlines lead to separate pages."""
    flat = page.flat
    articles = _articles(page, blocks)
    if len(articles) < LEAST or is_thread_page(page.url, flat):  # some forums mark posts as articles
        return False
    beside = defaultdict[int, list[int]](list)  # by parent
    for article in articles:
        beside[flat.parent[_alone(flat, article)]].append(article)
    chars = [0, *accumulate(size if wanted else 0 for size, wanted in zip(blocks.chars, kept, strict=True))]
    for rows in beside.values():
        if len(rows) >= LEAST and _chars(flat, blocks, chars, rows) >= SHARE * chars[-1]:
            targets = [other_page(page, articles[row]) for row in sorted(rows)]
            own = len({*targets} - {None})
            # if only the first headline leads nowhere, that article is the page's own
            return targets[0] is not None and own >= max(LEAST, OWN_PAGES * len(rows))
    return False


def _articles(page: Page, blocks: Blocks) -> dict[int, int]:
    """Return the headline row by article row: the first heading, or a line above it that is a link."""
    flat, words = page.flat, vocabulary(page.flat)
    found: dict[int, int] = {}
    for row in rows_with(words.tags, HEADLINES, range(len(flat))):
        article = _article_around(flat, row)
        if article is not None:
            found.setdefault(article, row)
    marked = {
        *words.tags.get("article", ()),
        *chain.from_iterable(words.names[name] for name in filter(names_article, words.names)),
    }
    for article in marked:
        line = _leading_line(page, blocks, article, found.get(article, flat.end[article]))
        if line is not None:
            found[article] = line
    return found


def _leading_line(page: Page, blocks: Blocks, article: int, heading: int) -> int | None:
    """Return the container of an article's headline if that is a plain line, not a heading.

    It is one of the first `LEADING` lines, and consists of a link to another page. None if a heading is among these
    lines, for the comment of a reader, which begins with its author, and for a post, which has a link to itself.
    """
    flat = page.flat
    begin, stop = blocks_below(flat, blocks, article)
    stop = min(begin + LEADING, stop)
    if begin == stop or heading < blocks.stop[stop - 1] or _is_comment(flat, article) or _has_own_link(flat, article):
        return None
    for block in range(begin, stop):
        row = blocks.container[block]
        if blocks.link_chars[block] == blocks.chars[block] and other_page(page, row) is not None:
            alone = _targets(flat, blocks, block) == {other_page(page, row)}
            return row if alone and article in (row, _article_around(flat, row)) else None
    return None


def _targets(flat: FlatDom, blocks: Blocks, block: int) -> set[str]:
    """Return the targets of the links from the end of the block above to the end of a block."""
    begin = bisect_left(flat.anchors, (blocks.stop[block - 1] if block else 0,))
    stop = bisect_left(flat.anchors, (blocks.stop[block],))
    return {target for _, target, _ in flat.anchors[begin:stop]}


def _is_comment(flat: FlatDom, article: int) -> bool:
    """Return whether an article, or a box with nothing else in it, has the class name of a reader's comment."""
    rows = {article, _alone(flat, article)}
    return any(COMMENT in OWN_MARKS[flat.tag[row], flat.names[row]] for row in rows)


def _has_own_link(flat: FlatDom, article: int) -> bool:
    """Return whether an element has a link to itself, as the posts of a thread have: `#post-17`."""
    names = flat.names[article].split()
    begin, stop = (bisect_left(flat.anchors, (row,)) for row in (article, flat.end[article]))
    return any(target.rpartition("#")[2] in names for _, target, _ in flat.anchors[begin:stop] if "#" in target)


def _alone(flat: FlatDom, row: int) -> int:
    """Return the outermost element that contains only an article, or the article itself: some themes add boxes."""
    while flat.parent[row] == row - 1 and flat.end[row - 1] == flat.end[row] and flat.tag[row - 1] not in _OUTERMOST:
        row -= 1
    return row


def _article_around(flat: FlatDom, row: int) -> int | None:
    """Return the nearest element around a headline that is marked as an article."""
    for above in islice(flat.ancestors(row), LEVELS):
        if is_article(flat, above):
            return above if flat.tag[above] != "body" else None
    return None


def _chars(flat: FlatDom, blocks: Blocks, chars: list[int], rows: list[int]) -> int:
    """Return the kept characters below some rows; `chars` are those before each block."""
    places = (blocks_below(flat, blocks, row) for row in rows)
    return sum(chars[stop] - chars[begin] for begin, stop in places)
