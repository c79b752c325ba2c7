"""Tells whether a page is a list of articles, each with a page of its own: a blog's front page with whole posts.

Such a page has as much text as an article, so the forest that finds listings takes it for one. Its markup says more:
several siblings are marked as articles, and the headline of each leads to another page of the site. [OWN]
"""

from collections import defaultdict
from itertools import accumulate, islice
from typing import Final

from sitecrawl.dom.blocks import Blocks, blocks_below
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import rows_with, vocabulary
from sitecrawl.extractors.combined.article_marks import HEADLINES, is_article, other_page
from sitecrawl.extractors.combined.threads import says_thread

LEAST: Final = 3
"""Minimum number of articles."""
SHARE: Final = 0.8
"""Minimum share of the kept characters in them. Both were chosen on all recorded sites and the page sets
(docs/combined.md)."""
OWN_PAGES: Final = 0.8
"""Minimum share of them with a page that no other one leads to: a headline may have no link, or two the same."""
LEVELS: Final = 8
"""Maximum steps from a headline to its article."""


def lists_articles(page: Page, blocks: Blocks, kept: list[bool]) -> bool:
    """Tell whether most of the kept text is in sibling articles whose headlines lead to pages of their own."""
    flat = page.flat
    headlines = rows_with(vocabulary(flat).tags, HEADLINES, range(len(flat)))
    if len(headlines) < LEAST or says_thread(page.url, flat):  # some forums mark posts as articles
        return False
    articles: dict[int, int] = {}  # the first headline of each
    for row in headlines:
        article = _article_around(flat, row)
        if article is not None:
            articles.setdefault(article, row)
    beside = defaultdict[int, list[int]](list)  # by parent
    for article in articles:
        beside[flat.parent[article]].append(article)
    chars = [0, *accumulate(size if wanted else 0 for size, wanted in zip(blocks.chars, kept, strict=True))]
    for rows in beside.values():
        if len(rows) >= LEAST and _chars(flat, blocks, chars, rows) >= SHARE * chars[-1]:
            targets = [other_page(page, articles[row]) for row in sorted(rows)]
            own = len({*targets} - {None})
            # the first one is that of the page if only the others lead away
            return targets[0] is not None and own >= max(LEAST, OWN_PAGES * len(rows))
    return False


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
