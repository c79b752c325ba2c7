"""Whether a page changed, or only the template by which its main content is told from the rest.

A text that two template versions extract from the same page may differ in a line or two. Digests cannot tell that from
an edit; the pages can. After a redesign a page is unchanged if every line of its old main text still stands on it, and
every line of the new one stood on it before: then the stored content is kept, with the version that extracted it.
"""

import re
from dataclasses import replace
from typing import Final

from sitecrawl.config import Config
from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.items import PageItem
from sitecrawl.storage.contents import ContentRecord, ContentRepository
from sitecrawl.storage.layouts import LayoutRepository
from sitecrawl.storage.revisits import GONE
from sitecrawl.storage.session import Session

_WORD: Final = re.compile(r"\w+")
KEPT: Final = ("kind", "text", "html", "words", "digest", "simhash", "method", "confidence", "template_version")
"""What an extraction made; the rest of a record is read off the page as it is now."""


def confirmed(session: Session, site_id: int, item: PageItem, record: ContentRecord, config: Config) -> ContentRecord:
    """Return the record to store: with the content of the last crawl where the page itself still confirms it.

    To be called before the page is stored. A content that was extracted without a template is never kept.
    """
    old = ContentRepository(session).get(site_id, item.url_key)
    if (
        old is None
        or old.status == GONE
        or old.record.digest == record.digest
        or old.record.crawl_id == record.crawl_id
    ):
        return record
    if old.record.template_version in (None, record.template_version) or old.record.method != record.method:
        return record
    if item.stored and not config.store_bodies:
        return record
    html = LayoutRepository(session).previous(site_id, item.url_key)
    if html is None:
        return record
    try:
        before = _words(_text(Page.from_html(html, item.url, max_nodes=config.max_nodes)))
    except PageError:
        return record
    if not (holds(_words(_text(item.page)), old.record.text) and holds(before, record.text)):
        return record
    return replace(record, **{name: getattr(old.record, name) for name in KEPT})


def holds(page: str, text: str) -> bool:
    """Say whether each line of a text that has words stands on a page, given as its words between blanks."""
    return all(words in page for line in text.splitlines() if (words := _words(line)).strip())


def _text(page: Page) -> str:
    return page.text((0,))


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "
