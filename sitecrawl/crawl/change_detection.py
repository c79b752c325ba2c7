"""Decides whether a page changed, or only the template that extracts its main content.

A text that two template versions extract from the same page may differ in a line or two. Digests cannot distinguish
that from an edit; the pages can. After a redesign a page is unchanged if every line of its old main text is still on
it, and every line of the new text was on it before. Then the stored content is kept, with the version that extracted
it. If the text is the same but another template classifies the page differently, the stored kind is kept.
"""

import re
from dataclasses import replace
from typing import Final

from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.overrides.extraction import NAME as OVERRIDE
from sitecrawl.storage.page_state import PageState
from sitecrawl.storage.records import ContentRecord

_WORD: Final = re.compile(r"\w+")
KEPT: Final = ("kind", "text", "html", "words", "digest", "simhash", "method", "confidence", "template_version")
"""Fields made by the extraction; the other fields of a record are read from the current page."""


def in_doubt(state: PageState, record: ContentRecord) -> bool:
    """Tell whether a content may differ from the stored one only because another template extracted it.

    A content that was extracted without a template is never kept.
    """
    old = state.content
    if old is None or state.known.deleted or old.digest == record.digest or old.crawl_id == record.crawl_id:
        return False
    return old.template_version not in (None, record.template_version) and old.method == record.method


def with_known_kind(state: PageState, record: ContentRecord) -> ContentRecord:
    """Return a record with the stored kind, if text and method are the stored ones.

    The template of a site grows while it is crawled, and the kind depends on it. A kind given by an override applies at
    once, and a content that was extracted without a template is never kept.
    """
    old = state.content
    if old is None or state.known.deleted or old.digest != record.digest or old.crawl_id == record.crawl_id:
        return record
    if old.method != record.method or OVERRIDE in record.method:
        return record
    if old.template_version is None and record.template_version is not None:
        return record
    return replace(record, kind=old.kind)


def confirmed(state: PageState, record: ContentRecord, page: Page, before: str | None, max_nodes: int) -> ContentRecord:
    """Return the record to store: that of the last crawl if the page itself still confirms it.

    `before` is the HTML that the stored content was extracted from; None if it is not stored.
    """
    old = state.content
    if old is None or before is None:
        return record
    try:
        earlier = _words(_text(Page.from_html(before, page.url, max_nodes=max_nodes)))
    except PageError:
        return record
    if not (holds(_words(_text(page)), old.text) and holds(earlier, record.text)):
        return record
    return replace(record, **{name: getattr(old, name) for name in KEPT})


def holds(page: str, text: str) -> bool:
    """Tell whether each line of a text with words is on a page, given as its words between spaces."""
    return all(words in page for line in text.splitlines() if (words := _words(line)).strip())


def _text(page: Page) -> str:
    return page.text((0,))


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "
