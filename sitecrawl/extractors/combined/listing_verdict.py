"""Decides whether a page is a listing: by its own statements, or else by the forest for listings.

Some pages are certain: threads, tickets and single posts are never listings; archives of a month, collections by their
structured data, and lists of articles with separate pages always are. A page with its own text that is classified as a
listing is the worse error, since sinks exclude listings by default; so such a page needs a higher probability. [OWN]
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from enum import StrEnum
from itertools import compress
from math import log1p
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.article_lists import lists_articles
from sitecrawl.extractors.combined.block_features import PROSE_LINKS
from sitecrawl.extractors.combined.cards import HOST, LITTLE_TEXT, is_elsewhere, leads_elsewhere, made_of_cards
from sitecrawl.extractors.combined.entries import HERE
from sitecrawl.extractors.combined.listing_words import UrlWords, url_words
from sitecrawl.extractors.combined.login_forms import is_for_account
from sitecrawl.extractors.combined.outside_links import leads_outside
from sitecrawl.extractors.combined.own_sections import has_own_sections
from sitecrawl.extractors.combined.page_features import LONG, PAGE_NAMES
from sitecrawl.extractors.combined.page_hints import is_single_post
from sitecrawl.extractors.combined.region import ENOUGH, Known, letters_a_character
from sitecrawl.extractors.combined.thread_addresses import is_thread_url
from sitecrawl.links.anchors import NOT_HTML

LISTING: Final = 0.6
"""Probability from which a page is a listing, chosen on recorded sites, manuals and made sites
(docs/combined-history.md)."""
UNSURE_LISTING: Final = 0.15
"""Probability from which a page made of cards is a listing, if it has little text of its own
(docs/combined-rules.md)."""
SURE_LISTING: Final = 0.9
"""The same for a page with much text (`OWN_TEXT`, docs/combined-rules.md)."""
NAMED_LISTING: Final = 0.7
ENTRY_LISTING: Final = 0.77
"""The same if the URL has words of a listing and the page consists of entries with different links: archives have much
text. Chosen on all recorded sites and the page sets together (docs/combined-rules.md)."""
EMPTY_LISTING: Final = 0.7
"""The same for a page without kept blocks whose URL has no words of a listing (docs/combined-rules.md)."""
FRONT_LISTING: Final = 0.35
"""The same for the front page of a site with other known pages, with any amount of text, if the text has no own
sections (`own_sections`): of 60 recorded front pages 52 are listings (docs/combined-rules.md)."""
MENU_LISTING: Final = 0.3
"""The same for a page with nothing but links and short labels, such as the menu of a frameset: on recorded sites,
tables of contents that are main content have at most 0.2."""
LABEL: Final = 60
"""Characters outside links from which a block is not a label. Own choice."""
MENU_LINKS: Final = 0.5
"""Minimum share in links of the characters of such a page, and of its kept characters. Own choice."""
OWN_TEXT: Final = 600
"""Letters of kept prose, outside links, that count as much text."""
LONG_TEXT: Final = 20_000
"""Letters of kept prose from which a page is never a listing by the forest, for example a change log at `/news`. The
ten recorded listings with 5,000 or more letters all have fewer than this (docs/combined-rules.md)."""

LINKS: Final = 5
"""Minimum number of other pages that a listing by the forest leads to, including its menus: each of 827 such recorded
listings leads to five or more."""
TEXT: Final = 80
"""Minimum kept letters of a text without links. Own choice."""
LINE: Final = 20
"""The same on a page without any own link, such as the address of a firm. Own choice."""
USUAL: Final = 0.5
"""Minimum share of the other pages with the text of a block for which its links are a menu or a button. Own choice."""
ENTRIES: Final = 3
"""Minimum number of entries of a page that consists of entries."""
ENTRY_SHARE: Final = 0.5
"""Minimum share of the kept characters in the entries of such a page."""
OWN_ENTRIES: Final = 0.6
"""Minimum share of such entries with a link that no other entry has."""
CUES: Final = 2
"""Cues of a listing, less those of an article, from which a page is no plain text: of its address and of `body`, for
example. Own choice."""

_FRONT: Final = PAGE_NAMES.index("url_root")
_CUES: Final = PAGE_NAMES.index("cues_rest")
_ENTRY_SHARE: Final = PAGE_NAMES.index("entry_share")
_ENTRIES: Final = PAGE_NAMES.index("entries")
_OWN_ENTRIES: Final = PAGE_NAMES.index("entry_own")


class Listed(StrEnum):
    """The reason why a page is a listing, as text for users."""

    ARCHIVE = "its address ends with a month or a category below an archive"
    COLLECTION = "its structured data says that it is a collection of pages"
    ARTICLES = "most of its text is in articles that have pages of their own"
    FRONT = "it is the front page of the site and looks like a listing"
    LOOKS = "it looks like a listing"
    CARDS = "it consists of cards that link to other pages"
    LINKS = "it mainly links to other pages of the site"


class ListingEvidence(NamedTuple):
    """The evidence for a listing from the forest and the template."""

    chance: float
    """The probability that it is a listing, by the forest."""
    figures: list[float]
    """The features of the page as a whole (`page_features`)."""
    text_share: list[float]
    """The share of pages that repeat each block's text."""
    known: Known | None
    """The statistics of the other pages; None without a template."""
    least: float = LISTING
    """The minimum probability of a listing, unless another rule applies."""


def is_listing(page: Page, blocks: Blocks, kept: list[bool], read: ListingEvidence) -> bool:
    """Return whether a page is a listing: it declares so, or it looks like one and little of its text is kept."""
    return not _is_single(page) and _reason(page, blocks, kept, read) is not None


def why_listing(page: Page, blocks: Blocks, kept: list[bool], read: ListingEvidence) -> Listed | None:
    """Return why a page is a listing: by `is_listing`, or as a possible listing made of cards or links; else None.

    If nothing is kept, as in the archive of a month with one post, the page must declare so, or the forest be certain.
    """
    if _is_single(page):
        return None
    chance = read.chance
    reason = _reason(page, blocks, kept, read) if True in kept else _reason_of_empty(page, blocks, read)
    if reason is not None:
        return reason
    prose = own_text(page.flat, blocks, kept)
    doubtful = UNSURE_LISTING <= chance < read.least and prose < LITTLE_TEXT
    cards = doubtful and made_of_cards(page, blocks, read.text_share, read.known)
    if cards and not _lists_no_pages(page, blocks, kept, read):
        return Listed.CARDS
    if chance >= MENU_LISTING and _is_menu(page.flat, blocks, kept) and not _lists_others(page, blocks, kept, read):
        return Listed.LINKS
    known = read.known
    if known is not None and leads_elsewhere(page, blocks, kept, prose, chance, read.text_share, known):
        return Listed.LINKS
    return None


def _reason(page: Page, blocks: Blocks, kept: list[bool], read: ListingEvidence) -> Listed | None:
    """Return why a page is a listing by its statements, its kept text and the forest."""
    words, chance = url_words(page.url), read.chance
    stated = _stated(page, words) or (Listed.ARTICLES if lists_articles(page, blocks, kept) else None)
    if stated is not None:
        return stated
    if read.figures[_FRONT] and _is_text(page, blocks, kept):
        return None
    if not _leads_to_pages(page.flat):
        return None
    if read.known is not None and read.figures[_FRONT]:
        return Listed.FRONT if chance >= FRONT_LISTING else None
    if chance < read.least or _lists_no_pages(page, blocks, kept, read):
        return None
    sure = chance >= SURE_LISTING or (chance >= NAMED_LISTING and any(words))
    sure = sure or (chance >= ENTRY_LISTING and _consists_of_entries(read.figures))
    return Listed.LOOKS if own_text(page.flat, blocks, kept) < (LONG_TEXT if sure else OWN_TEXT) else None


def _is_text(page: Page, blocks: Blocks, kept: list[bool]) -> bool:
    """Return whether a page has much text (`OWN_TEXT`), in its own sections (`has_own_sections`)."""
    return own_text(page.flat, blocks, kept) >= OWN_TEXT and has_own_sections(page, blocks, kept)


def _lists_no_pages(page: Page, blocks: Blocks, kept: list[bool], read: ListingEvidence) -> bool:
    """Return whether a page is a plain text (`_is_plain_text`) or a list of other sites (`_lists_others`)."""
    return _is_plain_text(page, blocks, kept, read) or _lists_others(page, blocks, kept, read)


def _lists_others(page: Page, blocks: Blocks, kept: list[bool], read: ListingEvidence) -> bool:
    """Return whether a page lists other sites (`leads_outside`), which no other page of the site has.

    False for front pages, for addresses with the words of a list, and where the forest is sure (`SURE_LISTING`).
    """
    if read.chance >= SURE_LISTING or read.figures[_FRONT] or any(url_words(page.url)):
        return False
    return leads_outside(page, blocks, kept)


def _is_plain_text(page: Page, blocks: Blocks, kept: list[bool], read: ListingEvidence) -> bool:
    """Return whether a page is a text without a link, and leads to few pages except those in the menus of the site.

    So is much text (`OWN_TEXT`) whose links lead to other sites and to files only, such as the publications of a
    laboratory: no other page of the site has it. Other pages must be known. Front pages, and archives whose URL has a
    month or a number or that have `CUES` cues, are no such texts. Buttons that most pages have do not count as links,
    unless the URL has words of a listing.
    """
    if True not in kept or not _may_be_plain(page, read):
        return False
    flat, words = page.flat, url_words(page.url)
    if own_text(flat, blocks, kept) >= OWN_TEXT and _leads_nowhere(page, blocks, read, files=True):
        return True
    begin, stop = kept.index(True), len(kept) - kept[::-1].index(True)
    linked = zip(blocks.link_chars[begin:stop], read.text_share[begin:stop], strict=True)
    if any(chars and (words.named or share < USUAL) for chars, share in linked):
        return False
    letters = sum(compress(blocks.chars, kept)) * letters_a_character(flat, blocks, kept)
    if letters >= TEXT and not _leads_to_pages(flat, _own_links(flat, blocks, read.text_share)):
        return True
    return letters >= LINE and _leads_nowhere(page, blocks, read)


def _may_be_plain(page: Page, read: ListingEvidence) -> bool:
    """Return whether other pages are known, and a page is no front page and no archive by a month, a number or cues."""
    known, words = read.known, url_words(page.url)
    if known is None or known.others < ENOUGH:
        return False
    return not (read.figures[_FRONT] or words.numbered or words.period or read.figures[_CUES] >= CUES)


def _leads_nowhere(page: Page, blocks: Blocks, read: ListingEvidence, *, files: bool = False) -> bool:
    """Return whether a page has no own link to another page of the site except the front page.

    With `files`, links to files do not count: they are no pages. A gallery of linked pictures stays a listing.
    """
    own = urlsplit(page.url)
    for _, link, _ in _own_links(page.flat, blocks, read.text_share):
        target = link.strip().partition("#")[0]
        if is_elsewhere(target, own.netloc) or (files and target.rpartition(".")[2].lower() in NOT_HTML):
            continue
        host = HOST.match(target)
        if target[host.end() if host else 0 :] not in ("", "/", own.path):
            return False
    return True


def _reason_of_empty(page: Page, blocks: Blocks, read: ListingEvidence) -> Listed | None:
    """Return the reason why a page without kept blocks is a listing; None if it is none, such as a login form."""
    words = url_words(page.url)
    looks = read.chance >= (read.least if any(words) else EMPTY_LISTING) and _leads_to_pages(page.flat)
    looks = looks and not is_for_account(page)
    if looks and not any(words):
        looks = not (_may_be_plain(page, read) and _leads_nowhere(page, blocks, read))
    return _stated(page, words) or (Listed.LOOKS if looks else None)


def _leads_to_pages(flat: FlatDom, links: Iterable[tuple[int, str, str]] | None = None) -> bool:
    """Return whether links, by default all links of a page, lead to at least LINKS other pages."""
    every = flat.anchors if links is None else links
    found = {target.partition("#")[0] for _, target, _ in every if not target.lower().startswith(HERE)}
    return len(found - {""}) >= LINKS


def _own_links(flat: FlatDom, blocks: Blocks, text_share: list[float]) -> Iterator[tuple[int, str, str]]:
    """Yield the links of a page, without those in blocks that most pages have."""
    for link in flat.anchors:
        block = bisect_right(blocks.stop, link[0])
        around = block < len(blocks) and blocks.first[block] < flat.end[link[0]]
        if not around or text_share[block] < USUAL:
            yield link


def _is_menu(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> bool:
    """Return whether a page has nothing but links to other pages and labels, and links are kept."""
    labels = [chars - linked for chars, linked in zip(blocks.chars, blocks.link_chars, strict=True)]
    if True not in kept or max(labels) >= LABEL or not _leads_to_pages(flat):
        return False
    if sum(blocks.link_chars) < MENU_LINKS * sum(blocks.chars):
        return False
    return sum(compress(blocks.link_chars, kept)) >= MENU_LINKS * sum(compress(blocks.chars, kept))


def _is_single(page: Page) -> bool:
    """Return whether a page is one thread, one ticket, or one post."""
    return is_thread_url(page.url) or is_single_post(page.flat)


def _stated(page: Page, words: UrlWords) -> Listed | None:
    """Return why a page is a listing by its URL or its structured data; None if it is not."""
    if words.archived:
        return Listed.ARCHIVE
    return Listed.COLLECTION if page.is_collection else None


def _consists_of_entries(figures: list[float]) -> bool:
    """Return whether most of the kept text is in entries with different links."""
    return (
        figures[_ENTRIES] >= log1p(ENTRIES)
        and figures[_ENTRY_SHARE] >= ENTRY_SHARE
        and figures[_OWN_ENTRIES] >= OWN_ENTRIES
    )


def own_text(flat: FlatDom, blocks: Blocks, kept: list[bool]) -> float:
    """Return the letters of kept prose outside links; a letter of a script without spaces counts as `LETTERS`."""
    each, own = letters_a_character(flat, blocks, kept), 0
    for chars, linked in compress(zip(blocks.chars, blocks.link_chars, strict=True), kept):
        if chars * each >= LONG and linked < PROSE_LINKS * chars:
            own += chars - linked
    return own * each
