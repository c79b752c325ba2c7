"""Chooses the metadata of a page from its declared and visible candidates, given the values that the site shares."""

import datetime as dt
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, chain, islice
from typing import Final
from urllib.parse import urlsplit

from sitecrawl.dom.blocks import block_text, blocks_below, text_blocks
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.labels import PREFORMATTED
from sitecrawl.dom.page import Page
from sitecrawl.dom.vocabulary import vocabulary
from sitecrawl.links.parameters import without_tracking
from sitecrawl.metadata.book_names import is_whole
from sitecrawl.metadata.byline_lines import line_author
from sitecrawl.metadata.declared import Declared, read_declared
from sitecrawl.metadata.fields import Metadata
from sitecrawl.metadata.headlines import LOWER
from sitecrawl.metadata.language import LATIN_ENDS, READ, SAMPLED, page_language
from sitecrawl.metadata.row_texts import row_text
from sitecrawl.metadata.shared_values import LEAST, Field, SiteValues, Values, values_of
from sitecrawl.metadata.title_pieces import affixes, folded
from sitecrawl.metadata.titles import page_title
from sitecrawl.metadata.trails import Trail
from sitecrawl.metadata.visible import Shown, near_author, near_date, read_shown

_LOWER: Final = frozenset(("h2", "h3"))
_TITLES: Final = {"title": Field.TITLE, "prefix": Field.PREFIX, "suffix": Field.SUFFIX}
_BRACKET: Final = 0.5
"""Minimum share of the pages with a last piece in brackets for which it belongs to the site: "(film)" does not. Own
choice."""
_OPENING: Final = 400
"""Characters at the beginning of the main content in which the title may stand as a line. Own choice."""
_ABOVE: Final = 3
"""Number of lines right above the main content in which the title may stand. Own choice."""
_COUNTED: Final = 12
"""Maximum visible dates of a page that are counted for the site."""


@dataclass(frozen=True, slots=True)
class Reading:
    """All candidates read from one page."""

    declared: Declared
    shown: Shown
    values: Values
    """Values to be counted for the site."""


def read(page: Page, now: dt.datetime) -> Reading:
    """Return all candidates of a page. Raises PageTooLargeError."""
    declared, shown = read_declared(page, now), read_shown(page, now)
    return Reading(declared, shown, values_of(declared, [one.date for one in shown.dates[:_COUNTED]]))


def describe(
    page: Page,
    reading: Reading,
    site: SiteValues,
    nodes: Sequence[int],
    text: str,
    *,
    article: bool,
    served: str | None = None,
) -> Metadata:
    """Return the chosen metadata. Dates and bylines in the text are used only with `article`, since a list has many.

    `served` are the languages of a `Content-Language` header.
    """
    declared, shown = reading.declared, reading.shown

    def own(field: Field, values: Iterable[str | None]) -> str | None:
        return next((one for one in values if one and not site.shared(field, one)), None)

    share = partial(_site_share, site)
    headings, site_names = _headings_and_sites(declared, share)
    sites = {*map(folded, site_names), *_shared_names(declared.title, share)}
    authors, days, changes = _listed(declared.authors), _listed(declared.published), _listed(declared.modified)
    if article:
        end = page.flat.end
        authors += [*declared.item_authors, near_author(shown, nodes, end)]
        days += [*declared.item_published, near_date(shown, nodes, end, changed=False)]
        changes += [*declared.item_modified, near_date(shown, nodes, end, changed=True)]
    host = urlsplit(page.url).hostname or ""
    named = [name for name in declared.bylines if not _is_site(name, sites, host)]
    authors = [name for name in authors if name and not _is_site(name, sites, host)]
    author = named[0] if named else own(Field.AUTHOR, authors)
    published, modified = own(Field.DATE, days), own(Field.DATE, changes)
    if published and modified and modified[:10] < published[:10]:
        modified = None
    title = page_title(
        declared.title,
        declared.names,
        headings,
        site_names,
        share,
        page.url,
        lower=declared.lower,
        below=declared.below,
        inner=site.own_inner(_kept(declared.inner, page.flat, nodes)) if article else None,
        alone=site.pages < LEAST,
        front=_is_front(page.url),
        opening=text[:_OPENING].split("\n"),
        above=_lines_above(page.flat, nodes) if article and site.pages < LEAST else (),
    )
    return Metadata(
        title=title,
        description=own(Field.DESCRIPTION, declared.descriptions),
        author=author or line_author(page.flat, nodes if article else (), shown.headings),
        published=published,
        modified=modified,
        language=_language((*declared.languages, *(served or "").split(",")), page.flat, nodes, text),
        image=own(Field.IMAGE, declared.images),
        section=_section(declared, shown.trail, (title, *headings)),
    )


def _listed(values: Iterable[str | None]) -> list[str | None]:
    """Return the candidates as a new list, whose further items may be None."""
    return list(values)


def _language(declared: Iterable[str], flat: FlatDom, nodes: Sequence[int], text: str) -> str | None:
    """Return the language of a page whose main content is `text`."""
    return page_language(declared, _prose(flat, nodes, text), partial(_around, flat, nodes))


def _prose(flat: FlatDom, nodes: Sequence[int], text: str) -> str:
    """Return the beginning of the main content without preformatted text (usually code); `text` if little is left."""
    tags = vocabulary(flat).tags
    code = sorted(row for tag in PREFORMATTED for row in tags.get(tag, ()))
    if not code:
        return text
    ends = list(accumulate((flat.end[row] for row in code), max))  # they may be nested
    blocks, lines, left = text_blocks(flat), list[str](), READ
    within = chain.from_iterable(range(*blocks_below(flat, blocks, node)) for node in nodes)
    for block in within:
        before = bisect_left(code, blocks.first[block])
        if not before or ends[before - 1] <= blocks.first[block]:
            lines.append(block_text(flat, blocks, block))
            left -= len(lines[-1])
        if left < 0:
            break
    prose = "\n".join(lines)
    return prose if len(prose) >= SAMPLED else text


def _around(flat: FlatDom, nodes: Sequence[int]) -> str:
    """Return the beginning of the text around the main content, such as menus."""
    blocks, lines, left = text_blocks(flat), list[str](), READ
    inside = set(chain.from_iterable(range(*blocks_below(flat, blocks, node)) for node in nodes))
    for block in range(len(blocks)):
        if left < 0:
            break
        if block not in inside:
            lines.append(block_text(flat, blocks, block))
            left -= len(lines[-1])
    return "\n".join(lines)


def _kept(headlines: Sequence[str], flat: FlatDom, nodes: Sequence[int]) -> Iterator[str]:
    """Yield the lower headlines in the main content."""
    rows = (row for node in nodes if headlines for row in range(node, flat.end[node]) if flat.tag[row] in _LOWER)
    texts = tuple(folded(row_text(flat, row)) for row in islice(rows, LOWER))
    named = (one for one in headlines if any(map(str.isalpha, one)))
    return (one for one in named if any(text.startswith(folded(one)) for text in texts))


def _lines_above(flat: FlatDom, nodes: Sequence[int]) -> list[str]:
    """Return the lines right above the main content, the nearest first: the headline of many pages is a `div` there."""
    blocks = text_blocks(flat)
    first = blocks_below(flat, blocks, nodes[0])[0] if nodes else 0
    return [block_text(flat, blocks, block) for block in range(first - 1, max(-1, first - 1 - _ABOVE), -1)]


def _headings_and_sites(
    declared: Declared, shared: Callable[[str, str], float]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (headlines of a page, names of its site); a headline that is the name of a book is among the latter."""
    wholes = [one for one in declared.wholes if is_whole(declared.title or "", one, shared)]
    own = [one for one in declared.wholes if one not in wholes]
    return (*declared.headings, *own), (*declared.site_names, *wholes)


def _site_share(site: SiteValues, kind: str, text: str) -> float:
    """Return the share of pages with a title, prefix or suffix that belongs to the site; 1 for a repeated heading."""
    if kind == "heading":
        return float(site.repeated(Field.TITLE, folded(text)))
    if kind == "bracket":
        share = site.share(Field.SUFFIX, folded(text))
        return share if share >= _BRACKET else 0.0
    return site.share(_TITLES[kind], folded(text))


def _shared_names(title: str | None, shared: Callable[[str, str], float]) -> frozenset[str]:
    """Return the words in the ends of a title that the site shares: one that is the whole end, or its only foreign one.

    A site with a name in two scripts has both in its titles: "Storm - שאלון The Questionnaire". Names of several words
    may be those of a person, whose site it is.
    """
    before, after = affixes(title) if title else ((), ())
    ends = [end for kind, some in (("prefix", before), ("suffix", after)) for end in some if shared(kind, end)]
    names = set[str]()
    for end in ends:
        words = folded(end).split()
        for of_latin in (True, False):
            own = [word for word in words if (word[0] < LATIN_ENDS) is of_latin]
            names.update(own if len(own) == 1 else ())
    return frozenset(names)


def _is_front(url: str) -> bool:
    """Return whether a URL is that of a site's front page, tracking parameters aside; False without a real URL."""
    parts = urlsplit(url)
    host, query = parts.hostname or "", without_tracking(parts.query)
    return bool(host) and parts.path in ("", "/") and not query and not f".{host}".endswith(".invalid")


def _is_site(author: str, sites: Collection[str], host: str) -> bool:
    """Return whether an author is the site: its name, its host name, or one word of that."""
    name, own = folded(author), folded(host.removeprefix("www."))
    return name in (*sites, own) or (" " not in author.strip() and len(name) > 2 and name in host.split("."))


def _section(declared: Declared, shown: Trail, names: Sequence[str | None]) -> str | None:
    """Return the breadcrumbs of a page, or else its declared section; `names` are those of the page itself."""
    seen = shown.section if shown.complete else _above(shown.section, names)
    sections = (*(_above(trail, names) for trail in declared.trails), seen, *declared.sections)
    return next((one for one in sections if one), None)


def _above(trail: str | None, names: Iterable[str | None]) -> str | None:
    """Return breadcrumbs without the page itself at the end."""
    if not trail:
        return None
    before, _, last = trail.rpartition(" > ")
    return before or None if folded(last) in {folded(name) for name in names if name} else trail
