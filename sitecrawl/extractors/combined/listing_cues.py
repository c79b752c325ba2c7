"""Counts the cues with which a page declares itself a listing, and measures its title.

Each single cue is rare, and few sites have the same ones, so a forest learns little from it; their number is useful on
every site. Titles of listings are short: they consist of a category or a month.
"""

import re
from math import log1p
from typing import Final

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import HEADINGS, TEXT
from sitecrawl.dom.scripts import letters
from sitecrawl.dom.vocabulary import vocabulary
from sitecrawl.extractors.combined.listing_words import (
    is_list_heading,
    is_list_title,
    is_slug_of,
    title_parts,
    url_words,
)
from sitecrawl.extractors.combined.page_hints import OUTER

CUE_NAMES: Final = (
    "cues",
    "cues_against",
    "cues_rest",
    "title",
    "title_first",
    "title_longest",
    "title_parts",
    "title_words",
    "forms",
    "times",
    "articles",
)
"""Names of the features: number of cues of a listing, of an article, their difference; letters (log) of the title, of
its first and of its longest part, number of its parts, maximum words in a part; number of text areas, at most 2
(articles have comment forms); number of `time` and `article` elements (log)."""

HEADING_CHANCE: Final = 0.3
"""Minimum probability of a heading other than an `h1` for it to be the page's own heading."""
HEADING_SHARE: Final = 0.3
"""Minimum share of the site's pages with a heading for which the heading belongs to the site."""
MAX_HEADING: Final = 200

_BODY: Final = re.compile(
    r"(?:^|\s)(?:archive|category|tag|author|date|paged|search-results|search|post-type-archive|blog"
    r"|section-(?:viewforum|index|search)|ns-(?:-1|14)|page-taxonomy\S*|taxonomy|tax-\S+|term-\S+|category-\S+|tag-\S+"
    r"|is-?archive)(?=\s|$)"
)
"""Class names of `body` by which WordPress, Drupal, phpBB and MediaWiki mark listings."""


def cue_figures(
    url: str,
    title: str | None,
    flat: FlatDom,
    blocks: Blocks,
    chances: list[float],
    text_share: list[float],
    claimed: list[float],
) -> list[float]:
    """Return the features in the order of `CUE_NAMES`; `claimed` are the features of `combined.page_hints`."""
    says_listing, says_article, og_article, _, published = claimed
    words, parts = url_words(url), title_parts(title or "")
    body = not says_article and any(
        _BODY.search(flat.names[i]) for i in range(min(len(flat.tag), OUTER)) if flat.tag[i] in ("html", "body")
    )
    heading = _heading(flat, blocks, own_heading(flat, blocks, chances, text_share))
    list_title = is_list_title(parts) and not is_slug_of(url, parts[0])
    list_heading = is_list_heading(heading) and not is_slug_of(url, heading)
    tags = vocabulary(flat).tags
    areas, times, articles = (len(tags.get(tag, ())) for tag in ("textarea", "time", "article"))
    cues = words.named + words.numbered + words.period + list_title + list_heading + body
    against = says_article * (1 - says_listing) + og_article + published
    return [
        float(cues),
        against,
        cues - against,
        log1p(letters(title or "")),
        log1p(letters(parts[0]) if parts else 0),
        log1p(max(map(letters, parts), default=0)),
        float(len(parts)),
        float(max((len(part.split()) for part in parts), default=0)),
        float(min(areas, 2)),
        log1p(times),
        log1p(articles),
    ]


def own_heading(flat: FlatDom, blocks: Blocks, chances: list[float], text_share: list[float]) -> int:
    """Return the first block that may be the page's own heading; -1 if there is none."""
    tag = flat.tag
    for i, container in enumerate(blocks.container):
        name = tag[container]
        if name in HEADINGS and text_share[i] < HEADING_SHARE and (name == "h1" or chances[i] >= HEADING_CHANCE):
            return i
    return -1


def _heading(flat: FlatDom, blocks: Blocks, block: int) -> str:
    """Return the text of a heading; "" if there is none."""
    if block < 0:
        return ""
    texts = (flat.text[k] for k in range(blocks.first[block], blocks.stop[block]) if flat.tag[k] == TEXT)
    return " ".join("".join(texts)[:MAX_HEADING].split()).strip(" .-:")
