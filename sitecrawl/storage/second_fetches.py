"""Pages that were fetched twice in one crawl, and how the two fetches differ."""

import datetime as dt
from collections.abc import Collection
from typing import Final, NamedTuple

from sqlalchemy import delete, select, update

from sitecrawl.slices import slices
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.db.upsert import insert_missing
from sitecrawl.storage.pages import CHUNK, GOOD
from sitecrawl.storage.tables.models import BODY, BODY_OF_PAGE, PAGE, SECOND_FETCH, TEMPLATE
from sitecrawl.templates.fetch_difference import FetchDifference
from sitecrawl.templates.volatile import VolatileBlocks
from sitecrawl.templates.volatile_records import difference_of, difference_record, volatile_record

_KEY: Final = ("site_id", "layout", "url_key")


class SecondFetch(NamedTuple):
    """A page that was fetched twice."""

    layout: int
    url_key: int
    crawl_id: int
    difference: FetchDifference | None
    """None if the second fetch failed, or gave an entirely different page."""


class SecondFetchRepository:
    """Reads and writes `second_fetch`, and the volatile places of templates."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def all(self, site_id: int) -> list[SecondFetch]:
        """Return the pages of a site that were fetched twice, in the order of layouts and keys."""
        columns = SECOND_FETCH.c
        rows = self.session.execute(
            select(columns.layout, columns.url_key, columns.crawl_id, columns.difference)
            .where(columns.site_id == site_id)
            .order_by(columns.layout, columns.url_key)
        )
        return [
            SecondFetch(row[0], row[1], row[2], difference_of(row[3]) if row[3] is not None else None) for row in rows
        ]

    def add(self, site_id: int, fetch: SecondFetch, now: dt.datetime) -> None:
        """Store a second fetch, unless the page already has one for this layout."""
        found = fetch.difference
        row = {
            "site_id": site_id,
            "layout": fetch.layout,
            "url_key": fetch.url_key,
            "crawl_id": fetch.crawl_id,
            "fetched_at": now,
            "difference": difference_record(found) if found is not None else None,
        }
        insert_missing(self.session, SECOND_FETCH, [row], _KEY)

    def forget(self, site_id: int, layouts: Collection[int] | None = None) -> None:
        """Delete the second fetches of layouts, by default of all layouts of the site."""
        chosen = [SECOND_FETCH.c.site_id == site_id]
        if layouts is not None:
            chosen.append(SECOND_FETCH.c.layout.in_(sorted(layouts)))
        self.session.execute(delete(SECOND_FETCH).where(*chosen))

    def candidates(self, site_id: int, crawl_id: int, url_keys: Collection[int]) -> dict[int, str]:
        """Return the URLs, by key, of the pages among `url_keys` whose stored body is of this crawl."""
        found = dict[int, str]()
        for keys in slices(sorted(url_keys), CHUNK):
            rows = self.session.execute(
                select(PAGE.c.url_key, PAGE.c.url)
                .join(BODY, BODY_OF_PAGE)
                .where(
                    PAGE.c.site_id == site_id,
                    PAGE.c.crawl_id == crawl_id,
                    PAGE.c.url_key.in_(keys),
                    PAGE.c.status.in_(GOOD),
                    PAGE.c.not_modified == 0,
                )
            )
            found.update({row[0]: row[1] for row in rows})
        return found

    def revise(self, site_id: int, layout: int, blocks: VolatileBlocks) -> None:
        """Store the volatile places of a layout whose template is stored."""
        self.session.execute(
            update(TEMPLATE)
            .where(TEMPLATE.c.site_id == site_id, TEMPLATE.c.layout == layout)
            .values(volatile=volatile_record(blocks))
        )
