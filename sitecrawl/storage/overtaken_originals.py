"""Restores originals that a duplicate replaced because a visit found the change of their common text there first.

A page with several addresses changes at all of them, but visits find the change at one address after the other, in any
order. Without this step the indexes would get the address that was visited first, and another one after each change.
Own method.
"""

import datetime as dt
from typing import Final

from sqlalchemy import bindparam, func, select

from sitecrawl.links.urls import url_id
from sitecrawl.metadata.fields import RowStatus
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.duplicates import DuplicateRepository
from sitecrawl.storage.simhash_bands import LEAST_CHARS
from sitecrawl.storage.tables.models import CONTENT, CONTENT_OF_PAGE, PAGE

_LATER: Final = CONTENT.alias("later")
_LATER_PAGE: Final = PAGE.alias("later_page")
_SAME_TEXT: Final = (_LATER.c.site_id == CONTENT.c.site_id) & (_LATER.c.digest == CONTENT.c.digest)
_OF_LATER: Final = (_LATER_PAGE.c.site_id == _LATER.c.site_id) & (_LATER_PAGE.c.url_key == _LATER.c.url_key)
_OVERTAKEN: Final = (
    select(PAGE.c.url_key, PAGE.c.url, _LATER.c.url_key, _LATER_PAGE.c.url)
    .select_from(CONTENT)
    .join(PAGE, CONTENT_OF_PAGE)
    .join(_LATER, _SAME_TEXT)
    .join(_LATER_PAGE, _OF_LATER)
    .where(
        *(CONTENT.c.site_id == bindparam("b_site"), CONTENT.c.crawl_id == bindparam("b_crawl")),
        *(CONTENT.c.status == RowStatus.CHANGED, PAGE.c.reason.is_(None)),
        *(_LATER.c.indexed, _LATER.c.duplicate_of.is_(None), _LATER_PAGE.c.reason.is_(None)),
        *(_LATER.c.earlier_text == CONTENT.c.earlier_text, PAGE.c.discovery < _LATER_PAGE.c.discovery),
        func.length(CONTENT.c.text) >= LEAST_CHARS,
        func.coalesce(CONTENT.c.duplicate_of, "") != "",  # not by an index: few pages changed, many may be duplicates
    )
    .order_by(PAGE.c.discovery)
)
"""Selects the changed duplicates that were found before their original and had the same text before the change."""


def restore_originals(session: Session, site_id: int, crawl_id: int, emit_order: int, now: dt.datetime) -> int:
    """Make duplicates that changed in a crawl the originals again, in place of pages that were found later.

    Both pages get a `changed` row. Returns the last position in the feed of the crawl.
    """
    duplicates, done = DuplicateRepository(session), set[int]()
    for key, url, later, later_url in session.execute(_OVERTAKEN, {"b_site": site_id, "b_crawl": crawl_id}).all():
        if later in done:
            continue
        done.add(later)
        duplicates.announce(site_id, duplicates.settled(site_id, later), url_id(url), crawl_id, emit_order + 1, now)
        duplicates.announce(site_id, duplicates.settled(site_id, key), None, crawl_id, emit_order + 2, now)
        emit_order = duplicates.resettle(site_id, later_url, crawl_id, emit_order + 2, now)
    return emit_order
