"""Decides the new state of a page's content, and what the indexes get of it. Runs no statement."""

import datetime as dt
from dataclasses import replace
from enum import IntEnum
from typing import Final, NamedTuple

from sitecrawl.dom.text import printable
from sitecrawl.metadata.fields import METADATA_NAMES, RowStatus
from sitecrawl.storage.page_change import PageChange
from sitecrawl.storage.page_state import PageState, PageStatus
from sitecrawl.storage.records import ContentRecord, withheld

_SHOWN_NAMES: Final = ("kind", "canonical_url", *METADATA_NAMES)
"""Fields besides the text and its HTML that an index shows or filters by."""
_SENT_NAMES: Final = ("text", "html", *_SHOWN_NAMES)
"""Fields that are sent to an index. The text itself is compared and not its digest, which ignores punctuation."""
FEED_FIELDS: Final = (*_SHOWN_NAMES, "html", "method")
"""Fields of a feed row other than the text, without those about how and when the text was extracted."""


class Operation(IntEnum):
    """The operation that an index must perform on a page."""

    UPSERT = 1
    DELETE = 2


class ContentChange(NamedTuple):
    """The new state of a page's content."""

    record: ContentRecord
    status: RowStatus
    indexed: bool
    """Whether the indexes contain the page after this change."""
    operation: Operation | None
    """The operation for the indexes; None if they need not change."""
    retold: bool
    """Whether the anchor texts of links to the page are read again; else the stored ones are kept."""
    at: dt.datetime
    """Time of the extraction; the record itself has an earlier time if its text is unchanged."""
    replaced: ContentRecord | None = None
    """The previous content, if it was in the feed and its text has changed."""


def changed_content(state: PageState, record: ContentRecord, *, index: bool = True) -> ContentChange:
    """Return the new state of a page's content; digest and kind decide whether it changed.

    The page is sent to the indexes if any of the sent fields changed, unless `index` is off or another page of the site
    has the same text. A page that must not be in the indexes any more is deleted from them.
    """
    old = state.content
    if old is None or state.known.row is None or state.known.deleted:
        status = RowStatus.NEW
    elif old.crawl_id == record.crawl_id:
        status = state.known.row  # extracted twice in one crawl: keep the first status, unless that was `unchanged`
        if status == RowStatus.UNCHANGED and (old.digest, old.kind) != (record.digest, record.kind):
            status = RowStatus.CHANGED
    else:
        # a former duplicate, or a page that asked not to be indexed, must be sent to indexes that left it out
        apart = withheld(indexed=state.known.indexed, duplicate_of=old.duplicate_of, reason=state.known.reason)
        released = (old.duplicate_of is not None or (apart and index)) and record.duplicate_of is None
        same = (old.digest, old.kind) == (record.digest, record.kind) and not released
        status = RowStatus.UNCHANGED if same else RowStatus.CHANGED
    wanted, held = index and record.duplicate_of is None, state.known.indexed
    tell = wanted and (status != RowStatus.UNCHANGED or not held or old is None or _sent(old) != _sent(record))
    operation = Operation.UPSERT if tell else Operation.DELETE if held and not wanted else None
    # anchor texts change with every rotating list of links, so a change of them alone does not update an index
    kept = _with_same_text(old, record) if old is not None and status != RowStatus.NEW else record
    retold = tell or old is None
    return ContentChange(kept, status, wanted, operation, retold, record.extracted_at, _replaced(state, record, status))


def _replaced(state: PageState, record: ContentRecord, status: RowStatus) -> ContentRecord | None:
    """Return the stored content if this is the first change of its text in a crawl; else None."""
    old = state.content
    if old is None or status != RowStatus.CHANGED or old.digest == record.digest:
        return None
    return old if old.crawl_id != record.crawl_id or state.known.row == RowStatus.UNCHANGED else None


def _with_same_text(old: ContentRecord, record: ContentRecord) -> ContentRecord:
    """Return the record to store: for an unchanged text, with the time and origin of the stored one.

    So the export of an unchanged site is the same each time. A text that was extracted by another method or without a
    template, or whose kind has changed, counts as new.
    """
    if old.digest != record.digest:
        return record
    same = old.method == record.method and old.kind == record.kind
    if same and (old.template_version is not None or record.template_version is None):
        record = replace(record, confidence=old.confidence, template_version=old.template_version)
    return replace(record, extracted_at=old.extracted_at)


def _sent(record: ContentRecord) -> list[object]:
    return [storable(getattr(record, name)) for name in _SENT_NAMES]


def page_change(url_key: int, state: PageState, change: ContentChange) -> PageChange:
    """Return the change of a page's row that its new content causes, without a visit."""
    return PageChange(
        url_key,
        state,
        status=PageStatus.UNCHANGED if change.status == RowStatus.UNCHANGED else None,
        changed_at=change.at if change.status == RowStatus.CHANGED else None,
    )


def storable(value: object) -> object:
    """Return a value as it is stored: a text loses the characters that no stored text contains."""
    return printable(value) if isinstance(value, str) else value
