"""Reads recorded sites and page sets: their pages, their labelled blocks, and what crawls of them would know."""

import gzip
import json
import multiprocessing
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple, TypedDict

import numpy as np
from labels import labels_of_nodes, labels_of_text
from training_sites import KNOWN, RECORDED, Examples, KnownPages, Site, StoredPage, TrainingPage
from words import slots_of

from sitecrawl.dom.blocks import Blocks, block_text, text_blocks
from sitecrawl.dom.controls import controls
from sitecrawl.dom.invisible import invisible
from sitecrawl.dom.labels import TEXT
from sitecrawl.dom.line_numbers import line_numbers
from sitecrawl.dom.page import Page
from sitecrawl.dom.permalinks import permalinks
from sitecrawl.dom.source_links import source_links
from sitecrawl.errors import PageError
from sitecrawl.evaluation.words import words
from sitecrawl.extractors.combined._block_classifier import Look
from sitecrawl.extractors.combined.block_features import BlockEvidence
from sitecrawl.extractors.combined.statistics import site_statistics
from sitecrawl.extractors.layout_decision import DECIDING
from sitecrawl.links.urls import split_url
from sitecrawl.templates.snapshot import snapshot
from sitecrawl.templates.trie import SiteTemplate

PAGES: Final = 24
"""Maximum content pages of a site that are used; the same number of listing pages."""
NO_URL: Final = "https://page.invalid/"
"""The URL of a page without one."""
LISTINGS: Final = frozenset(("listing", "collection"))
"""Types of pages in page sets that are listings."""
UNDECIDED: Final = "service"
"""Type of pages in page sets that may or may not be listings."""
BLOCK_CHARS, PAGE_CHARS = 8.0, 200.0
"""Characters added to the length of a block and of its page when the weight of the block is computed [OWN]."""


class Row(TypedDict, total=False):
    """A page in a file of a recorded site or of a page set."""

    url: str | None
    kind: str
    html: str
    gold_text: str | None
    gold_xpaths: list[str]
    exclude_xpaths: list[str] | None
    id: str
    site: str | None
    page_type: str


class SiteRows(NamedTuple):
    """The rows of one site."""

    name: str
    collection: str
    rows: list[Row]


class ReadPage(NamedTuple):
    """A row and its parsed page."""

    row: Row
    page: Page
    stored: StoredPage


def _column_names() -> list[str]:
    page = Page.from_html("<p>text</p>", NO_URL)
    evidence = BlockEvidence(page.flat, text_blocks(page.flat), None, False)
    evidence.build()
    return evidence.names


COLUMNS: Final = _column_names()
"""Names of the columns of the first pass."""


def read_all(recorded: Sequence[Path], sets: Sequence[Path], jobs: int) -> Iterator[Site]:
    """Yield the sites in the files: recorded sites first, then the sites of page sets."""
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap(_read_recorded, recorded)
        for path in sets:
            yield from pool.imap(_read_site, _rows_of_set(path), chunksize=4)


def _read_recorded(path: Path) -> Site:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return _read_site(SiteRows(path.name.split(".")[0], RECORDED, [json.loads(line) for line in lines]))


def _read_site(rows: SiteRows) -> Site:
    site = site_of(rows)
    for known in site.known.values():
        if known is not None:
            known.statistics.compiled.clear()  # it cannot be sent to another process, which compiles its own
    return site


def _rows_of_set(path: Path) -> list[SiteRows]:
    """Return the rows of a page set by site, without pages that have no gold text."""
    by_site: dict[str, list[Row]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row: Row = json.loads(line)
            if row["gold_text"]:
                row.setdefault("kind", "content")
                by_site[row.get("site") or row["id"]].append(row)
    return [SiteRows(site, path.name.split(".")[0], rows) for site, rows in sorted(by_site.items())]


def site_of(rows: SiteRows) -> Site:
    """Return a site with its pages, and what crawls that know `KNOWN` pages of it would know."""
    read = _parsed(rows.rows)
    order = list(range(len(read)))
    random.Random(rows.name).shuffle(order)
    known: dict[int, KnownPages | None] = {0: None}
    for count in KNOWN[1:] if len(read) > 1 else ():
        known[count] = _known_pages(read, order[:count])
    deciding = {count: [read[i].stored for i in order[: min(count, DECIDING)]] for count in known if count}
    used = [i for kind in ("content", "listing") for i in [i for i in order if read[i].row["kind"] == kind][:PAGES]]
    pages = [_training_page(read[i], i, known) for i in used]
    return Site(rows.name, rows.collection, pages, known, deciding)


def _parsed(rows: list[Row]) -> list[ReadPage]:
    """Return the rows whose pages can be read and have text."""
    read = []
    for row in rows:
        url = row.get("url") or ""
        try:
            page = Page.from_html(row["html"], url if split_url(url) else NO_URL)
            if len(text_blocks(page.flat)):
                read.append(ReadPage(row, page, StoredPage(page)))
        except PageError:
            continue
    return read


def _known_pages(read: list[ReadPage], numbers: list[int]) -> KnownPages:
    """Return what a crawl of some pages of a site would know."""
    template = SiteTemplate()
    for i in numbers:
        template.learn(read[i].page.flat)
    published = snapshot(template, 1)
    return KnownPages(published, site_statistics(published), frozenset(numbers))


def _training_page(read: ReadPage, number: int, known: dict[int, KnownPages | None]) -> TrainingPage:
    row, page = read.row, read.page
    blocks = text_blocks(page.flat)
    texts = [block_text(page.flat, blocks, block) for block in range(len(blocks))]
    return TrainingPage(
        number=number,
        page=read.stored,
        blocks=blocks,
        kind=row["kind"],
        is_listing=_is_listing(row, page),
        block_words=[Counter(words(text)) for text in _shown_texts(page, blocks, texts)],
        gold_words=Counter(words(row["gold_text"] or "")),
        examples=_examples(read, number, blocks, texts, known) if row["kind"] == "content" else None,
    )


def _is_listing(row: Row, page: Page) -> bool | None:
    """Return whether a page is a listing by its gold; None if that is unknown."""
    if page.url == NO_URL or row.get("page_type") == UNDECIDED:
        return None
    return row["kind"] != "content" or row.get("page_type") in LISTINGS


def _examples(
    read: ReadPage, number: int, blocks: Blocks, texts: list[str], known: dict[int, KnownPages | None]
) -> Examples:
    """Return the blocks of a content page to learn from.

    The columns of words and names come from the weights that ship; `write_columns` replaces them.
    """
    row, flat = read.row, read.page.flat
    if "gold_xpaths" in row:
        labels = labels_of_nodes(read.page, blocks, row["gold_xpaths"], row["exclude_xpaths"] or [])
    else:
        labels = labels_of_text(texts, row["gold_text"] or "")
    weights = (np.array(blocks.chars) + BLOCK_CHARS) / (sum(blocks.chars) + PAGE_CHARS)
    columns = {}
    for count, pages in known.items():
        statistics, learned = (pages.statistics, number in pages.learned) if pages is not None else (None, False)
        look = Look(flat, blocks, statistics, learned)
        if bool(count) == bool(look.others):
            look.build()
            columns[count] = np.array(look.lists(), dtype=np.float32).T
    return Examples(labels, weights, slots_of(flat, blocks, texts), columns)


def _shown_texts(page: Page, blocks: Blocks, texts: list[str]) -> list[str]:
    """Return the text of each block without what rows never show: hidden text, controls, permalinks and the like."""
    flat = page.flat
    hidden: set[int] = set()
    for row in [*invisible(page), *controls(flat), *permalinks(flat), *source_links(flat), *line_numbers(flat)]:
        hidden.update(range(row, flat.end[row]))
    if not hidden:
        return texts
    shown = []
    for text, first, stop in zip(texts, blocks.first, blocks.stop, strict=True):
        rows = range(first, stop)
        if hidden.isdisjoint(rows):
            shown.append(text)
        else:
            shown.append("".join(flat.text[row] for row in rows if flat.tag[row] == TEXT and row not in hidden))
    return shown
