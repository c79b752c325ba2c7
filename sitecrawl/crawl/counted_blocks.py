"""Adds the atomic blocks to a stored template that was learned without them, from its stored pages.

A crawl counts atomic blocks only for a method that reads them, since that doubles the cost of learning.
"""

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace

from sitecrawl.config import Config
from sitecrawl.dom.flat import FlatDom
from sitecrawl.dom.page import Page
from sitecrawl.errors import DamagedBodyError, PageError
from sitecrawl.storage.bodies import BodyRepository
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.templates.blocks import BlockStore
from sitecrawl.templates.changes import TemplateChanges

logger = logging.getLogger(__name__)


def with_blocks(session: Session, site_id: int, stored: TemplateChanges, config: Config) -> TemplateChanges:
    """Return a stored template with its atomic blocks and traversal paths.

    If it has none, they are counted in the pages that the template counts, as far as their bodies are stored and can be
    read.
    """
    if stored.paths:
        return stored
    counted = {key for key, layout in LayoutRepository(session).counted(site_id).items() if layout == stored.layout}
    bodies = BodyRepository(session)
    blocks = BlockStore(
        window=config.template_window, min_share=config.template_min_share, max_blocks=config.template_max_nodes
    )
    seen = set[int]()
    for flat in stored_flats(bodies, site_id, config, filter(counted.__contains__, bodies.fetched(site_id))):
        if flat.fingerprint not in seen:  # copies are not learned
            seen.add(flat.fingerprint)
            blocks.learn(flat)
    paths, rows = blocks.totals()
    return replace(stored, paths=tuple(paths.values()), blocks=tuple(rows.values()))


def stored_flats(bodies: BodyRepository, site_id: int, config: Config, keys: Iterable[int]) -> Iterator[FlatDom]:
    """Yield the columns of stored pages; unreadable pages are skipped with a warning."""
    for key in keys:
        try:
            stored = bodies.stored(site_id, key)
            if stored is not None and stored.html is not None:
                yield Page.from_html(stored.html, stored.url, max_nodes=config.max_nodes).flat
        except (DamagedBodyError, PageError) as error:  # the other pages are enough
            logger.warning("%s", error)
