"""Decides whether a page is made of cards: similar siblings, each with a different link, that other pages do not have.

The forest that finds listings uses the kept blocks. On a page of categories or products often only an introduction is
kept, and not the cards below it. So the cards are counted among all blocks that the site does not repeat. A box of
related pages looks the same, but most pages of the site have it.

Pages with many links that other pages do not have are recognised by those, if hardly anything else is kept, or if there
are cards and little prose. [OWN]
"""

import re
from bisect import bisect_left
from itertools import compress
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from sitecrawl.dom.blocks import Blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.extractors.combined.entries import HERE, LEVELS, targets
from sitecrawl.extractors.combined.region import ENOUGH, SHARED, Known, letters_a_character

LEAST: Final = 4
"""Minimum number of cards."""
OWN_LINKS: Final = 0.6
"""Minimum share of the cards with a link that no other card has."""
PART: Final = 0.3
"""Minimum share of the page's own characters in its cards."""
LINKED: Final = 0.2
"""Minimum share of the characters of the cards in links."""
AWAY: Final = 0.5
"""Share of the links in cards to other sites from which the cards are no list of pages of the site: mirrors, partners,
translations. On eight recorded sites content pages were listings by such cards, and no listing was."""
USUAL: Final = 0.3
"""Minimum share of the other pages with such cards for which they belong to the site. The five values were chosen on 20
recorded sites (docs/combined-rules.md)."""

MAIN: Final = 0.5
"""Minimum share of the own characters of a listing in elements that count as its cards although the site's other pages
have such elements too: the items of an archive of mails, and those of the links below each mail. Own choice."""

LITTLE_TEXT: Final = 300
"""Letters of kept prose below which a page has little text."""
PLACES: Final = 20
"""Minimum number of the site's pages to which the page's own blocks lead. Links to other sites are content."""
REST: Final = 0.1
"""Maximum share of the page's own characters that are kept, if its links are not kept."""
POINTING: Final = 0.2
"""Minimum share of the page's own characters in links, if they are not kept."""
MENU: Final = 0.5
"""Minimum share of other pages with a place for which links in that place are a menu: the pages of an API reference
list the members of their class beside the text."""
MENUS: Final = ("nav", "aside", "footer")
"""Elements that contain menus."""
PROSE: Final = 0.4
"""Maximum share of prose in the kept text of cards."""
DOUBT: Final = 0.07
"""Minimum probability of a listing for cards. The last five values were chosen on all recorded sites
(docs/combined-rules.md)."""
HOST: Final = re.compile(r"(?:https?:)?//(?:www\.)?([^/?#]+)", re.IGNORECASE)
"""Matches the host of a link."""


def made_of_cards(page: Page, blocks: Blocks, text_share: list[float], known: Known | None) -> bool:
    """Return whether cards of pages of the site contain the share `PART` of the page's own text (`groups_of_cards`)."""
    return bool(groups_of_cards(page, blocks, text_share, known))


def groups_of_cards(
    page: Page, blocks: Blocks, text_share: list[float], known: Known | None, *, listed: bool = False
) -> list[tuple[int, ...]]:
    """Return groups of the rows of cards of pages of the site; each has the share `PART` of the page's own text.

    `text_share` is the share of pages that repeat each block's text, `listed` whether the page is called a listing.
    With fewer than four other known pages there are none.
    """
    if known is None or known.others < ENOUGH:
        return []
    flat = page.flat
    parent, path = flat.parent, flat.path
    chars: dict[int, int] = {}
    links: dict[int, int] = {}
    total = 0
    rows = zip(blocks.container, blocks.chars, blocks.link_chars, text_share, strict=True)
    for container, count, linked, share in rows:
        if share >= SHARED:
            continue
        total += count
        row = container
        for _ in range(LEVELS):
            chars[row] = chars.get(row, 0) + count
            links[row] = links.get(row, 0) + linked
            row = parent[row]
            if row < 0:
                break
    alike: dict[tuple[int, int], list[int]] = {}
    for row in chars:
        if parent[row] >= 0:
            alike.setdefault((parent[row], path[row]), []).append(row)
    main = MAIN * total if listed else None
    return [tuple(rows) for rows in alike.values() if _are_cards(page, rows, chars, links, total, known, main)]


def _are_cards(
    page: Page,
    rows: list[int],
    chars: dict[int, int],
    links: dict[int, int],
    total: int,
    known: Known,
    main: float | None,
) -> bool:
    """Return whether similar siblings are cards.

    `main` is the number of characters from which they may be cards although other pages have such siblings too.
    """
    flat, held = page.flat, sum(chars[row] for row in rows)
    if len(rows) < LEAST or held < PART * total or sum(links[row] for row in rows) < LINKED * held:
        return False
    found = known.site.paths.get(flat.path[rows[0]])
    others = max(found.pages - known.own, 0) if found is not None else 0
    usual = others >= USUAL * known.others and (main is None or held < main)
    return not usual and targets(flat, rows)[0] >= OWN_LINKS and not _lead_away(page, rows)


def _lead_away(page: Page, rows: list[int]) -> bool:
    """Return whether the links in some elements mainly lead to other sites."""
    anchors, end, host = page.flat.anchors, page.flat.end, urlsplit(page.url).netloc
    spans = [(bisect_left(anchors, (row,)), bisect_left(anchors, (end[row],))) for row in rows]
    links = {target.partition("#")[0] for begin, stop in spans for _, target, _ in anchors[begin:stop]}
    return sum(is_other_site(target, host) for target in links) >= AWAY * len(links)


class _Menus(dict[int, bool]):
    """Decides whether a row is in a place that most pages have, such as the menu of a section.

    Such a place is the parent of a text, or one of the elements `MENUS`: the depth of a menu differs between sections.
    """

    def __init__(self, flat: FlatDom, known: Known) -> None:
        super().__init__()
        self.flat, self.known = flat, known
        self.most = known.own + MENU * known.others

    def __missing__(self, row: int) -> bool:
        flat, above, found = self.flat, row, self._is_usual(row)
        while not found and above > 0:
            found = flat.tag[above] in MENUS and self._is_usual(above)
            above = flat.parent[above]
        self[row] = found
        return found

    def _is_usual(self, row: int) -> bool:
        place = self.known.site.paths.get(self.flat.path[row])
        return place is not None and place.pages > self.most


class _Own(NamedTuple):
    """The blocks that the site does not repeat."""

    chars: int
    linked: int
    places: int
    """Number of other pages of the site that are targets of blocks which begin with a link."""


def leads_elsewhere(
    page: Page, blocks: Blocks, kept: list[bool], prose: float, chance: float, text_share: list[float], known: Known
) -> bool:
    """Return whether a page mainly leads to other pages of the site, at least `PLACES`.

    `prose` are the letters of kept prose (`listing_verdict.own_text`), `chance` is the probability that the page is a
    listing.
    """
    flat = page.flat
    if known.others < ENOUGH or len(flat.anchors) < PLACES:
        return False
    held = sum(compress(blocks.chars, kept))
    left = prose < LITTLE_TEXT and held < REST * sum(blocks.chars)
    cards = chance > DOUBT and prose < PROSE * held * letters_a_character(flat, blocks, kept)
    if not (left or cards):
        return False
    own = _own(page, blocks, known)
    if own.places < PLACES:
        return False
    if left and held < REST * own.chars and own.linked > POINTING * own.chars:
        return True
    return cards and made_of_cards(page, blocks, text_share, known)


def _own(page: Page, blocks: Blocks, known: Known) -> _Own:
    flat, host = page.flat, urlsplit(page.url).netloc
    chars = linked = 0
    starts = list[int]()
    rows = zip(blocks.first, blocks.container, blocks.chars, blocks.link_chars, strict=True)
    menus = _Menus(flat, known)
    for block, (begin, container, count, links) in enumerate(rows):
        if known.share(flat, blocks, block) < SHARED:
            chars += count
            if not menus[container]:
                linked += links
                starts.append(begin)
    places = set[str]()
    for row, target, _ in flat.anchors:
        at = bisect_left(starts, row)
        if at < len(starts) and starts[at] < flat.end[row] and not is_elsewhere(target, host):
            places.add(target.partition("#")[0])
    return _Own(chars, linked, len(places - {""}))


def is_elsewhere(href: str, host: str) -> bool:
    """Return whether a link does not lead to another page of the site `host`, but within the page or off the site."""
    return href.lower().startswith(HERE) or is_other_site(href, host)


def is_other_site(href: str, host: str) -> bool:
    """Return whether a link leads to another site than that of `host`."""
    found = HOST.match(href)
    return found is not None and bool(host) and found[1].lower() != host.lower().removeprefix("www.")
