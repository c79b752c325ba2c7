"""Decides whether a page is a listing: by what it says of itself, else by what the forest for listings says of it.

Some pages leave no doubt: threads, tickets and single posts are never listings; archives of a month, collections by
their structured data, and lists of articles with pages of their own always are. To call a page with a text of its own a
listing is the worse error, as search then leaves it out, so it takes more the more text is kept. [OWN]
"""

from itertools import compress
from math import log1p
from typing import Final, NamedTuple

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.article_lists import lists_articles
from sitecrawl.extractors.combined.block_features import PROSE_LINKS
from sitecrawl.extractors.combined.cards import LITTLE_TEXT, leads_elsewhere, made_of_cards
from sitecrawl.extractors.combined.listing_words import UrlWords, url_words
from sitecrawl.extractors.combined.page_features import LONG, PAGE_NAMES
from sitecrawl.extractors.combined.page_hints import says_single
from sitecrawl.extractors.combined.region import Known, letters_a_character
from sitecrawl.extractors.combined.threads import names_thread

LISTING: Final = 0.6
"""Probability from which a page is a listing, chosen on recorded sites, manuals and made sites
(docs/combined-history.md)."""
UNSURE_LISTING: Final = 0.15
"""Probability from which a page made of cards is a listing, if it has little text of its own (docs/combined.md)."""
SURE_LISTING: Final = 0.9
"""The same for a page with much text of its own (docs/combined.md)."""
NAMED_LISTING: Final = 0.7
ENTRY_LISTING: Final = 0.77
"""The same if its address names a list, and if it consists of entries with links of their own: archives have much text.
Chosen on all recorded sites and the page sets together (docs/combined.md)."""
EMPTY_LISTING: Final = 0.7
"""The same for a page of which nothing is kept and whose address names no list (docs/combined.md)."""
FRONT_LISTING: Final = 0.35
"""The same for the front page of a site of which other pages are known, however much text it has: of 60 recorded front
pages 52 are listings (docs/combined.md)."""
OWN_TEXT: Final = 600
"""Letters of kept prose, outside links, that count as much text."""

ENTRIES: Final = 3
"""Minimum number of such entries."""
ENTRY_SHARE: Final = 0.5
"""Minimum share of the kept characters in them."""
OWN_ENTRIES: Final = 0.6
"""Minimum share of the entries with a link that no other has."""

_FRONT: Final = PAGE_NAMES.index("url_root")
_ENTRY_SHARE: Final = PAGE_NAMES.index("entry_share")
_ENTRIES: Final = PAGE_NAMES.index("entries")
_OWN_ENTRIES: Final = PAGE_NAMES.index("entry_own")


class Read(NamedTuple):
    """What was read of a page for the verdict."""

    chance: float
    """The probability that it is a listing, by the forest."""
    figures: list[float]
    """The features of the page as a whole (`page_features`)."""
    text_share: list[float]
    """The share of pages that repeat each block's text."""
    known: Known | None
    """What the template knows of other pages."""
    least: float = LISTING
    """The probability from which the page is a listing, where nothing else is said."""


def is_listing(page: Page, blocks: Blocks, kept: list[bool], read: Read) -> bool:
    """Tell whether a page is a listing: it says so, or it looks like one and little of its own text is kept."""
    if _is_single(page):
        return False
    words = url_words(page.url)
    if _states_listing(page, words) or lists_articles(page, blocks, kept):
        return True
    chance = read.chance
    if read.known is not None and read.figures[_FRONT]:
        return chance >= FRONT_LISTING
    if not read.least <= chance < SURE_LISTING:
        return chance >= read.least
    if chance >= NAMED_LISTING and any(words):
        return True
    if chance >= ENTRY_LISTING and _consists_of_entries(read.figures):
        return True
    return own_text(page.flat, blocks, kept) < OWN_TEXT


def lists_pages(page: Page, blocks: Blocks, kept: list[bool], read: Read) -> bool:
    """Tell whether a page is a listing (`is_listing`), or may be one and is made of cards or of links of its own.

    Where nothing is kept, as in the archive of a month with one post, the page says so, or the forest is surer.
    """
    if _is_single(page):
        return False
    chance = read.chance
    if True not in kept:
        words = url_words(page.url)
        lists = _states_listing(page, words) or chance >= (read.least if any(words) else EMPTY_LISTING)
    else:
        lists = is_listing(page, blocks, kept, read)
    if lists:
        return True
    prose = own_text(page.flat, blocks, kept)
    doubtful = UNSURE_LISTING <= chance < read.least and prose < LITTLE_TEXT
    if doubtful and made_of_cards(page.flat, blocks, read.text_share, read.known):
        return True
    return read.known is not None and leads_elsewhere(page, blocks, kept, prose, chance, read.text_share, read.known)


def _is_single(page: Page) -> bool:
    """Tell whether a page is one thread, one ticket, or one post."""
    return names_thread(page.url) or says_single(page.flat)


def _states_listing(page: Page, words: UrlWords) -> bool:
    """Tell whether the address or the structured data of a page states that it is a listing."""
    return words.archived or page.is_collection


def _consists_of_entries(figures: list[float]) -> bool:
    """Tell whether most of the kept text is in entries, each with a link of its own."""
    return (
        figures[_ENTRIES] >= log1p(ENTRIES)
        and figures[_ENTRY_SHARE] >= ENTRY_SHARE
        and figures[_OWN_ENTRIES] >= OWN_ENTRIES
    )


def own_text(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> float:
    """Return the letters of kept prose outside links, where one of a script without spaces counts as `LETTERS`."""
    each, own = letters_a_character(flat, blocks, kept), 0
    for chars, linked in compress(zip(blocks.chars, blocks.link_chars, strict=True), kept):
        if chars * each >= LONG and linked < PROSE_LINKS * chars:
            own += chars - linked
    return own * each
