"""Recognises responses that replace the texts of known pages: almost no text, or the same text at many URLs.

A site that is down, asks for a log-in or was parked may answer every URL with status 200 and the same page. A failing
site may send a bare message, or a page that is empty without scripts. Known pages then keep their stored texts. Own
method.
"""

from collections import OrderedDict
from hashlib import blake2b
from typing import Final

from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.dom.page import Page
from sitecrawl.storage.revisits import RevisitRepository

BARE: Final = 200
"""Characters of a page, menus included, below which it may be a bare message [OWN]."""
SHRUNK: Final = 10
"""Factor by which the stored text must be longer than a bare page that replaces it, at least [OWN]."""
REMEMBERED: Final = 1_000
"""Maximum texts of whole pages remembered in a crawl; the one seen least recently is forgotten first."""
SAME: Final = "the same text as other pages that had texts of their own: a log-in, an outage or a parked domain?"
"""Start of the reason for a page with such a text; the fingerprint of the text follows in brackets."""


class ReplacedTexts:
    """Compares the pages of one crawl with their stored texts."""

    def __init__(self, crawl: CrawlState) -> None:
        self.crawl = crawl
        self._had: OrderedDict[str, set[str]] = OrderedDict()
        """Digests of the stored texts of known pages, by the fingerprint of the whole page that they answer now."""
        self._found_out: set[str] | None = None
        """Fingerprints of replacing pages, of this crawl or of the last visits; None before they are read."""

    async def judge(self, key: int, page: Page) -> FetchOutcome | None:
        """Return the outcome FAILED, with a reason, for a page that replaces the text of its URL; else None.

        In the first crawl of a site the result is always None.
        """
        if self.crawl.before is None:
            return None
        stored = await self._text(key)
        if stored is None:
            return None
        digest, length = stored
        chars = page.flat.chars[0]
        if chars < BARE and length >= SHRUNK * chars:
            return FetchOutcome(FetchResult.FAILED, "it has next to no text any more")
        text = blake2b("\n".join(filter(None, page.flat.text)).encode("utf-8", "replace"), digest_size=4).hexdigest()
        if self._found_out is None:
            self._found_out = await self._kept_before()
        had = self._had.setdefault(text, set())
        self._had.move_to_end(text)
        if len(self._had) > REMEMBERED:
            self._had.popitem(last=False)
        had.add(digest)
        if len(had) == 1 and text not in self._found_out:
            return None
        self._found_out.add(text)
        return FetchOutcome(FetchResult.FAILED, f"{SAME} [{text}]")

    async def _text(self, key: int) -> tuple[str, int] | None:
        """Return the digest and the length of the text that a page has in the feed; None if it has none."""
        site_id = self.crawl.site_id
        return await self.crawl.writer.submit(lambda s: RevisitRepository(s).text(site_id, key))

    async def _kept_before(self) -> set[str]:
        """Return the fingerprints of the pages that were recognised as replacements at the last visits."""
        site_id = self.crawl.site_id
        reasons = await self.crawl.writer.submit(lambda s: RevisitRepository(s).reasons(site_id, SAME))
        return {reason.removeprefix(SAME).strip(" []") for reason in reasons}
