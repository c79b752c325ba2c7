"""Changes to send."""

from sitecrawl.index.documents import Change, Document
from sitecrawl.links.urls import url_id
from sitecrawl.storage.outbox import PageKey


def document(number=1, sequence=10, **values):
    given = {
        **{"id": url_id(f"https://example.org/{number}"), "url": f"https://example.org/{number}"},
        **{"canonical_url": None, "site": "example.org", "kind": "content", "title": f"Page {number}"},
        **{"description": None, "text": "First line\n- one\n- two\nLast line", "html": None, "author": None},
        **{"published": None, "modified": None, "date": "2026-03-01", "language": "en", "image": None},
        **{"section": None, "anchors": (), "words": 6, "digest": "d", "method": "combined"},
        **{"confidence": 0.9, "template_version": 2, "http_status": 200, "depth": 1},
        **{"fetched_at": None, "updated_at": "2026-03-01T00:00:00+00:00", "sequence": sequence},
    }
    return Document(**{**given, **values})


def upsert(number=1, sequence=10, **values):
    one = document(number, sequence, **values)
    return Change(PageKey(1, number), one.id, one.url, sequence, one)


def deletion(number=1, sequence=11, url=None):
    url = url or f"https://example.org/{number}"
    return Change(PageKey(1, number), url_id(url), url, sequence, None)
