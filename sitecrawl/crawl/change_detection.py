"""Decides whether a page changed, or only the template that extracts its main content.

A text that two template versions extract from the same page may differ in a line or two. Digests cannot distinguish
that from an edit; the pages can. After a redesign a page is unchanged if every line of its old main text is still on
it, and every line of the new text was on it before. Then the stored content is kept, with the version that extracted
it.
"""

import re
from collections import Counter
from dataclasses import replace
from typing import Final

from sitecrawl.dom.page import Page
from sitecrawl.errors import PageError
from sitecrawl.overrides.extraction import NAME as OVERRIDE
from sitecrawl.storage.page_state import PageState
from sitecrawl.storage.records import ContentRecord
from sitecrawl.templates.folded_numbers import without_numbers

_WORD: Final = re.compile(r"\w+")
REPEATED: Final = 2
"""Occurrences on a page from which a line is ignored when the order of lines is compared."""
KEPT: Final = ("kind", "text", "html", "words", "digest", "simhash", "method", "confidence", "template_version")
"""Fields made by the extraction; the other fields of a record are read from the current page."""


def in_doubt(state: PageState, record: ContentRecord) -> bool:
    """Return whether a content may differ from the stored one only in where the main content begins and ends.

    Another template can move these borders, and so can noise around the content that changes at each visit. A stored
    content that was extracted without a template is never in doubt: the new one replaces it.
    """
    old = state.content
    if old is None or state.known.deleted or old.digest == record.digest or old.crawl_id == record.crawl_id:
        return False
    if old.template_version == record.template_version and OVERRIDE in record.method:
        return False  # an override applies at once
    return old.template_version is not None and old.method == record.method


def with_stored_numbers(state: PageState, record: ContentRecord) -> ContentRecord:
    """Return a record with the stored text, if the two texts differ only in numbers that do not count as a change.

    So the stored text changes only together with a feed row, and not at each visit.
    """
    old = state.content
    if old is None or state.known.deleted or (old.digest, old.kind) != (record.digest, record.kind):
        return record
    return replace(record, text=old.text, html=old.html, words=old.words)


def with_stored_kind(state: PageState, record: ContentRecord) -> ContentRecord:
    """Return a record with the stored kind, if another template extracted the same text.

    A new template alone must not change the kind of a page: after a redesign, for example, a front page with an
    introduction may be classified as a listing.
    """
    old = state.content
    if old is None or state.known.deleted or old.digest != record.digest or OVERRIDE in record.method:
        return record
    versions = {old.template_version, record.template_version}
    if None in versions or len(versions) == 1 or old.method != record.method:
        return record
    return replace(record, kind=old.kind)


def confirmed(
    state: PageState,
    record: ContentRecord,
    page: Page,
    before: str | None,
    max_nodes: int,
    counting: frozenset[str] = frozenset(),
) -> ContentRecord:
    """Return the record to store: the one of the last crawl if the page still confirms it, or else the new one.

    `before` is the HTML that the stored content was extracted from; None if it is not stored. `counting` are the folded
    texts of the page's blocks in which a new number does not count as a change (a counter, for example).
    """
    old = state.content
    if old is None or before is None:
        return record
    try:
        earlier = _words(without_numbers(_text(Page.from_html(before, page.url, max_nodes=max_nodes)), counting))
    except PageError:
        return record
    stored, made = without_numbers(old.text, counting), without_numbers(record.text, counting)
    now = _words(without_numbers(_text(page), counting))
    if not (holds(now, stored) and holds(earlier, made) and in_order(stored, made, now)):
        return record
    return replace(record, **{name: getattr(old, name) for name in KEPT})


def in_order(old: str, new: str, page: str = "") -> bool:
    """Return whether the common lines of two texts are in the same order.

    Lines that a text repeats are ignored, and so are lines that are on the page more than once. `page` is the words of
    the page, joined by spaces.
    """
    before, after = old.splitlines(), new.splitlines()
    shared = {line for line in _single(before) & _single(after) if page.count(_words(line)) < REPEATED}
    return [line for line in before if line in shared] == [line for line in after if line in shared]


def _single(lines: list[str]) -> set[str]:
    return {line for line, count in Counter(lines).items() if count == 1}


def holds(page: str, text: str) -> bool:
    """Return whether each line of a text is on the page at least as often; lines without words do not count.

    `page` is the page's words, joined by spaces.
    """
    lines = Counter(words for line in text.splitlines() if (words := _words(line)).strip())
    return all(words in page and (count == 1 or _times(page, words) >= count) for words, count in lines.items())


def _times(page: str, words: str) -> int:
    """Return how often the words are on a page; matches may share the space between them."""
    return len(re.findall(f"(?={re.escape(words)})", page))


def _text(page: Page) -> str:
    return page.text((0,))


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.lower()))} "
