"""Counts the metadata values that the pages of a site declare, to find those that belong to the site, not to a page."""

from sitecrawl.crawl.key_sets import KeyTable
from sitecrawl.items import PageItem
from sitecrawl.metadata.describe import read
from sitecrawl.metadata.shared_values import SiteValues, Values
from sitecrawl.storage.anchor_texts import Settled
from sitecrawl.storage.db.session import Session
from sitecrawl.storage.site_values import SiteValueRepository


class SiteStatistics:
    """The counts of one site: the stored ones, and those of pages about to be stored."""

    def __init__(self, session: Session, site_id: int, keys: KeyTable | None = None) -> None:
        """Read the counts; `keys` is the table of the crawl's sets of URL keys."""
        self.site_id = site_id
        self.link_texts = Settled()
        """Anchor texts that are already stored and need not be looked up."""
        self.decided: bool
        """Whether the values of the site are decided. Later pages are counted, but do not change them in this crawl."""
        self._pages = (keys or KeyTable()).new_set()
        self._pending: dict[int, Values] = {}
        self.load(session)

    def load(self, session: Session) -> None:
        """Read the counts, adding those of pages about to be stored."""
        stored = SiteValueRepository(session)
        self._counts = SiteValues(stored.load(self.site_id))
        decided = stored.decided(self.site_id)
        self.decided, self.values = bool(decided), SiteValues(decided) if decided else self._counts
        self._pages.replace(stored.surveyed(self.site_id))
        for key in self._pending.keys() & self._pages:
            del self._pending[key]
        for values in self._pending.values():
            self._counts.add(values)

    def take(self, decided: SiteValues) -> None:
        """Use the counts that decided which values belong to the site."""
        self.decided, self.values = True, decided

    @property
    def pages(self) -> frozenset[int]:
        """Keys of the pages whose counts are stored."""
        return frozenset(self._pages)

    def count(self, item: PageItem) -> Values | None:
        """Count a fetched page; return the values to store, None if the page was counted before."""
        if item.reading is None:
            item.reading = read(item.page, item.fetched_at)
        key, values = item.url_key, item.reading.values
        if key in self._pages:
            return None
        if key not in self._pending:
            self._pending[key] = values
            self._counts.add(values)
        return values

    def stored(self, key: int) -> None:
        """Record that the counts of a page are committed."""
        if self._pending.pop(key, None) is not None:
            self._pages.add(key)

    def failed(self, key: int) -> bool:
        """Record that a page could not be stored; return whether its values were counted, so that `load` is needed."""
        return self._pending.pop(key, None) is not None
