"""Repeated visits to known pages: the validators of each request, and whether its response must be parsed."""

from typing import Final

from sitecrawl.clock import now
from sitecrawl.crawl.conditional_get import may_ask
from sitecrawl.crawl.crawl_state import CrawlState
from sitecrawl.dom.nonces import same_but_for_nonces
from sitecrawl.dom.page import Page, parse_html
from sitecrawl.links.directives import read_directives
from sitecrawl.storage.pages import DuePage
from sitecrawl.storage.revisits import RevisitRepository, Validators

EXPIRY: Final = "unavailable_after"
"""The robots directive that forbids indexing a page after a given time."""


class KnownPages:
    """Adds validators to the requests of known pages, and recognises unchanged responses."""

    def __init__(self, crawl: CrawlState) -> None:
        self.crawl = crawl
        self.asked: dict[int, Validators] = {}
        """Validators and facts of the requested pages for which a 304, or an identical body, is enough."""

    async def conditional(self, pages: list[DuePage]) -> list[DuePage]:
        """Return the pages, with validators for those for which a 304, or an identical body, is enough.

        Neither is enough if there is no template, or if a link of the page is no longer known.
        """
        if not self.crawl.learning.published:
            return pages
        site_id, keys = self.crawl.site_id, [page.url_key for page in pages]
        stored = await self.crawl.writer.submit(lambda s: RevisitRepository(s).validators(site_id, keys))
        asked = []
        for page in pages:
            found = stored.get(page.url_key)
            if (
                found is not None
                and may_ask(page.url_key, found.not_modified, self.crawl.config.full_fetch_every)
                and all(map(self.crawl.frontier.knows, found.links))
            ):
                self.asked[page.url_key] = found
                asked.append(page._replace(etag=found.etag, last_modified=found.last_modified))
            else:
                asked.append(page)
        return asked

    async def is_identical(self, key: int, html: str, content_language: str | None, agent: str = "sitecrawl") -> bool:
        """Return whether a response equals the page's last one, apart from nonces, and so need not be parsed.

        `html` is the body of a response without an `X-Robots-Tag`. So if the page was `noindex` at its last fetch, its
        `meta` elements must still say so for `agent`; otherwise a header said so then, and is gone now, or the date of
        an `unavailable_after` has passed since.
        """
        known, site_id = self.asked.get(key), self.crawl.site_id
        if known is None or not known.plain or known.content_language != content_language:
            return False
        stored = await self.crawl.writer.submit(lambda s: RevisitRepository(s).body(site_id, key))
        if stored is None:
            return False
        same = stored == html.encode("utf-8", "replace")
        if not same and not same_but_for_nonces(stored.decode("utf-8", "replace"), html):
            return False
        dated = EXPIRY in html.lower()
        return known.noindex == ((known.noindex or dated) and _has_noindex(html, agent))


def _has_noindex(html: str, agent: str) -> bool:
    root = parse_html(html)
    metas = Page.from_root(root, "").metas if root is not None else ()
    return read_directives(metas, (), now(), agent).noindex
