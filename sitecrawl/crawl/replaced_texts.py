"""Recognises answers that replace the texts of known pages: next to no text, or one text at many URLs.

A site that is down, asks for a log-in or was parked may answer every URL with status 200 and the same page; one that
fails may send a bare message, or nothing that a browser shows without scripts. Known pages keep their texts. Own
method.
"""

from collections import OrderedDict
from typing import Final

from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.dom.page import Page
from sitecrawl.storage.revisits import RevisitRepository

SAME: Final = 2
"""Known pages with texts of their own, after the first page that was seen with a text, that give it away [OWN]."""
BARE: Final = 200
"""Characters of a whole page, menus included, below which it may be a bare message [OWN]."""
SHRUNK: Final = 10
"""The text of a bare page was at least so many times as long before [OWN]."""
REMEMBERED: Final = 1_000
"""Maximum texts of whole pages remembered in a crawl; the one seen least recently is forgotten first."""


class ReplacedTexts:
    """Judges the pages of one crawl by the texts that they had."""

    def __init__(self, crawl: CrawlState) -> None:
        self.crawl = crawl
        self._had: OrderedDict[int, set[str]] = OrderedDict()
        """By the text of whole pages: digests of the texts that pages with it had before, the first page left out."""

    async def judge(self, key: int, page: Page) -> FetchOutcome | None:
        """Return why a page is not the one that was stored for its URL; None if it may be, and in a first crawl."""
        if self.crawl.before is None:
            return None
        chars = page.flat.chars[0]
        if chars < BARE:
            stored = await self._text(key)
            if stored is not None and stored[1] >= SHRUNK * chars:
                return FetchOutcome(FetchResult.FAILED, "it has next to no text any more")
        text = hash(tuple(filter(None, page.flat.text)))
        had = self._had.get(text)
        if had is None:
            self._had[text] = set()
            if len(self._had) > REMEMBERED:
                self._had.popitem(last=False)
            return None
        self._had.move_to_end(text)
        stored = await self._text(key)
        if stored is None:
            return None
        had.add(stored[0])
        if len(had) < SAME:
            return None
        why = "the same text as other pages, which all had texts of their own: a log-in, an outage or a parked domain?"
        return FetchOutcome(FetchResult.FAILED, why)

    async def _text(self, key: int) -> tuple[str, int] | None:
        """Return the digest and the length of the text that a page has in the feed; None if it has none."""
        site_id = self.crawl.site_id
        return await self.crawl.writer.submit(lambda s: RevisitRepository(s).text(site_id, key))
