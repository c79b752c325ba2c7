"""What the pages of a site say of themselves, counted as they are found: the evidence for what is the site's."""

from collections.abc import Callable

from sitecrawl.items import PageItem
from sitecrawl.metadata.describe import read
from sitecrawl.metadata.survey import SiteValues
from sitecrawl.storage.linktexts import LinkTextRepository, Settled
from sitecrawl.storage.session import Session
from sitecrawl.storage.sitevalues import SiteValueRepository


class Survey:
    """The counts of one site, in memory as in the database."""

    def __init__(self, session: Session, site_id: int) -> None:
        stored = SiteValueRepository(session)
        self.site_id = site_id
        self.values = SiteValues(stored.load(site_id))
        self._pages = stored.surveyed(site_id)
        self._link_texts = Settled()

    def count(self, item: PageItem) -> Callable[[Session], None]:
        """Count a fetched page, unless it was counted; return what does so in the transaction that stores it.

        What its links say of other pages is stored in the same transaction, at every visit.
        """
        if item.reading is None:
            item.reading = read(item.page, item.fetched_at)
        values, site_id, key = item.reading.values, self.site_id, item.url_key
        counted, said = key in self._pages, item.link_texts
        if not counted:
            self._pages.add(key)
            self.values.add(values)

        def store(session: Session) -> None:
            if not counted:
                SiteValueRepository(session).count(site_id, key, values)
            LinkTextRepository(session, self._link_texts).record(site_id, key, said)

        return store
