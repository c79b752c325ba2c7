"""Restores the layouts of a site when a crawl begins: from stored templates, or from stored pages."""

import datetime as dt
import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, Final

from sitecrawl.crawl.counted_blocks import with_blocks
from sitecrawl.crawl.extraction import edition_decision
from sitecrawl.crawl.learning import RECALLED, Learning, Publication
from sitecrawl.dom.page import Page
from sitecrawl.errors import LabelRuleError
from sitecrawl.extractors.base import Extractor
from sitecrawl.extractors.layout_decision import deciding_keys
from sitecrawl.storage.bodies import StoredPage
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.pages import PageRepository
from sitecrawl.storage.second_fetches import SecondFetch, SecondFetchRepository
from sitecrawl.storage.templates import LayoutHead, TemplateRepository
from sitecrawl.templates.changes import TemplateChanges
from sitecrawl.templates.volatile import VolatileBlocks

logger = logging.getLogger(__name__)

Run = Callable[[Callable[[Session], Any]], Any]
"""Runs an operation on the database and returns its result."""
Stored = tuple[list[LayoutHead], list[TemplateChanges], dict[int, int], list[SecondFetch]]
"""The layouts of a site, the templates of the live ones, the layouts of counted pages, and second fetches."""
Read = Callable[[int], tuple[StoredPage, Page] | None]
"""Returns the stored page of a key and its parsed form; None if it cannot be read."""
RELEARNED: Final = 500
"""Maximum stored pages of a layout that are learned again; a template is stable after fewer."""


def restore(run: Run, site_id: int, learning: Learning, crawl_id: int | None = None) -> None:
    """Load the templates of a site into `learning`; layouts that crawl `crawl_id` opened may still be incomplete.

    Raises LabelRuleError if they were counted under another label rule.
    """
    heads, stored, counted, twice = run(partial(_stored, site_id=site_id))
    learning.restore(heads, stored, counted, crawl_id, twice)
    for changes in stored if learning.learns_blocks else ():
        if not changes.paths:
            counted_now = partial(with_blocks, site_id=site_id, stored=changes, config=learning.config)
            learning.layouts.add_blocks(run(counted_now))


def restore_or_relearn(
    run: Run,
    site_id: int,
    learning: Learning,
    read: Read,
    crawl_id: int | None,
    now: dt.datetime,
    extractor: Extractor,
) -> None:
    """Load the templates of a site; if they have another label rule, learn and decide them again from stored bodies."""
    try:
        restore(run, site_id, learning, crawl_id)
    except LabelRuleError as error:
        logger.warning("%s; learning from stored pages", str(error).split("; run:")[0])
        heads: list[LayoutHead] = run(lambda s: TemplateRepository(s).layouts(site_id))
        learning.restore(heads, [], {}, None)
        layouts = [head.layout for head in heads if head.retired_at is None]
        _relearn(run, site_id, learning, read, layouts, now, extractor)


def _stored(session: Session, site_id: int) -> Stored:
    templates = TemplateRepository(session)
    heads = templates.layouts(site_id)
    live = [one for head in heads if (one := templates.template(site_id, head)) is not None]
    return heads, live, LayoutRepository(session).counted(site_id), SecondFetchRepository(session).all(site_id)


def _relearn(
    run: Run,
    site_id: int,
    learning: Learning,
    read: Read,
    layouts: Iterable[int],
    now: dt.datetime,
    extractor: Extractor,
) -> None:
    """Count stored pages again and decide, per layout; one transaction replaces the old counts."""
    publications: list[Publication] = []
    for layout in layouts:
        keys = run(partial(_pages_of, site_id=site_id, layout=layout))
        stored = (read(key) for key in keys)
        pages = ((one[0].url_key, one[1]) for one in stored if one is not None)
        for publication in learning.learn_again(layout, pages):
            found = (read(key) for key in deciding_keys(publication.keys))
            deciding = [one[1] for one in found if one is not None]
            decided = publication.deciding(edition_decision(extractor, publication.edition, deciding), VolatileBlocks())
            learning.accept(decided)
            publications.append(decided)
    run(lambda s: TemplateRepository(s).replace(site_id, [one.changes for one in publications], now))
    run(lambda s: mark(s, site_id, publications))


def _pages_of(session: Session, site_id: int, layout: int) -> list[int]:
    return LayoutRepository(session).pages(site_id, layout, RELEARNED)


def mark(session: Session, site_id: int, publications: Iterable[Publication]) -> None:
    """Record which pages the templates count."""
    for one in publications:
        PageRepository(session).mark_learned(site_id, one.keys, one.changes.version)


def recall(run: Run, site_id: int, learning: Learning, read: Read, crawl_id: int) -> list[int]:
    """Learn from stored pages that had no layout when they were fetched; return their keys.

    So a redesign is noticed even if each crawl visits few pages.
    """
    found = []
    for key in run(lambda s: LayoutRepository(s).unplaced(site_id, crawl_id, RECALLED)):
        found_page = read(key)
        if found_page is not None:
            stored, page = found_page
            learning.recall(page, key, learned=bool(stored.learned_version))
            found.append(key)
    return found
