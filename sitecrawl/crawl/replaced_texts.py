"""Recognises responses that replace the texts of known pages: almost no text, or the same text at many URLs.

A site that is down, asks for a log-in or was parked may answer every URL with status 200 and the same page. A failing
site may send a bare message, or a page that is empty without scripts. Known pages then keep their stored texts. The
pages that changed last in earlier crawls are compared too, since a crawl may visit a single page. Own method.
"""

from collections import OrderedDict
from hashlib import blake2b
from typing import Final

from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.crawl.digest import fingerprints
from sitecrawl.crawl.page_lifecycle import FetchOutcome, FetchResult
from sitecrawl.dom.page import Page
from sitecrawl.storage.revisits import RevisitRepository

BARE: Final = 200
"""Characters of a page, menus included, below which it may be a bare message [OWN]."""
SHRUNK: Final = 10
"""Factor by which the stored text must be longer than a bare page that replaces it, at least [OWN]."""
REMEMBERED: Final = 1_000
"""Maximum texts of whole pages remembered in a crawl; the one seen least recently is forgotten first."""
CHANGED: Final = 20
"""Maximum pages that earlier crawls found changed and whose texts are compared, the latest ones [OWN]."""
CHANGED_WORDS: Final = 400
"""Maximum words of the main text of such a page: a wall or a log-in is short [OWN]."""
SAME: Final = "the same text as other pages that had texts of their own: a log-in, an outage or a parked domain?"
"""Start of the reason for a page with such a text; the fingerprint of the text follows in brackets."""


class ReplacedTexts:
    """Compares the pages of one crawl with their stored texts."""

    def __init__(self, crawl: CrawlState) -> None:
        self.crawl = crawl
        self._earlier: OrderedDict[str, dict[int, str]] = OrderedDict()
        """Digests of the earlier texts of pages by URL key, for each fingerprint of the whole page as it is now."""
        self._replacing: set[str] | None = None
        """Fingerprints of pages that replace others, in this crawl or at the last visits; None before they are read."""

    async def judge(self, key: int, page: Page) -> FetchOutcome | None:
        """Return the outcome FAILED, with a reason, if the stored text of a page should stay; else None.

        A new page fails too if it has the text of pages whose stored texts stayed. None in a first crawl.
        """
        if self.crawl.before is None:
            return None
        if self._replacing is None:
            self._replacing = await self._kept_before()
            await self._read_changed()
        text, stored = _fingerprint(page), await self._text(key)
        if stored is None:  # a new page: it may not have the text of replacing pages
            return _failed(text) if text in self._replacing else None
        digest, length = stored
        chars = page.flat.chars[0]
        if chars < BARE and length >= SHRUNK * chars:
            return FetchOutcome(FetchResult.FAILED, "it has next to no text any more")
        digests = self._earlier.setdefault(text, {})
        self._earlier.move_to_end(text)
        if len(self._earlier) > REMEMBERED:
            self._earlier.popitem(last=False)
        digests.setdefault(key, digest)
        if text not in self._replacing and (len(set(digests.values())) == 1 or await self._is_unchanged(key, text)):
            return None
        self._replacing.add(text)
        return _failed(text)

    async def _read_changed(self) -> None:
        """Remember the pages that earlier crawls found changed, since a crawl may visit a single page of a site."""
        site_id = self.crawl.site_id
        changed = await self.crawl.writer.submit(
            lambda s: RevisitRepository(s).changed(site_id, CHANGED, CHANGED_WORDS)
        )
        for key, earlier in changed:
            stored = await self.crawl.bodies.page(key)
            if stored is not None:
                self._earlier.setdefault(_fingerprint(stored), {})[key] = fingerprints(earlier).digest

    async def _is_unchanged(self, key: int, text: str) -> bool:
        """Return whether a page had the same text at its last visit, so that other pages have become equal to it."""
        stored = await self.crawl.bodies.page(key)
        return stored is not None and _fingerprint(stored) == text

    async def _text(self, key: int) -> tuple[str, int] | None:
        """Return the digest and the length of the text that a page has in the feed; None if it has none."""
        site_id = self.crawl.site_id
        return await self.crawl.writer.submit(lambda s: RevisitRepository(s).text(site_id, key))

    async def _kept_before(self) -> set[str]:
        """Return the fingerprints of the pages that were recognised as replacements at the last visits."""
        site_id = self.crawl.site_id
        reasons = await self.crawl.writer.submit(lambda s: RevisitRepository(s).reasons(site_id, SAME))
        return {reason.removeprefix(SAME).strip(" []") for reason in reasons}


def _failed(text: str) -> FetchOutcome:
    """Return the outcome of a page that replaces others; `text` is its fingerprint."""
    return FetchOutcome(FetchResult.FAILED, f"{SAME} [{text}]")


def _fingerprint(page: Page) -> str:
    """Return the fingerprint of the text of a whole page."""
    return blake2b("\n".join(filter(None, page.flat.text)).encode("utf-8", "replace"), digest_size=4).hexdigest()
