import datetime as dt

import pytest

from sitecrawl.index.documents import change_of
from sitecrawl.links.urls import url_id
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.outbox import OutboxChange, PageKey
from tests.unit.storage.test_contents import NOW, record

URL = "https://example.org/1"


def queued(operation=Operation.UPSERT, content=None):
    later = NOW + dt.timedelta(seconds=1)
    return OutboxChange(PageKey(1, 1), 9, operation, URL, "example.org", later, NOW, 200, 2, content)


def test_a_document_says_all_that_is_known_of_a_page():
    one = record(description="d", author="a", modified="2026-02-03", canonical_url=URL)
    document = change_of(queued(content=one), ("content",)).document
    assert document.as_dict() == {
        **{"id": url_id(URL), "url": URL, "canonical_url": URL, "site": "example.org", "kind": "content"},
        **{"title": "A title", "description": "d", "text": "hello", "author": "a", "published": "2026-02"},
        **{"modified": "2026-02-03", "date": "2026-02-01", "language": "en", "image": "http://example.org/a.png"},
        **{"section": ("News", "Europe"), "words": 1, "digest": one.digest, "method": "combined"},
        **{"confidence": 0.75, "template_version": 3, "http_status": 200, "depth": 2},
        **{"fetched_at": "2026-03-01T00:00:00+00:00", "updated_at": "2026-03-01T00:00:01+00:00", "sequence": 9},
    }


@pytest.mark.parametrize(
    "change",
    [
        queued(Operation.DELETE, record()),
        queued(Operation.UPSERT, None),
        queued(Operation.UPSERT, record(kind="listing")),
    ],
)
def test_what_is_gone_or_not_wanted_is_deleted(change):
    assert change_of(change, ("content",)).document is None
