import pytest

from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.outbox import PageKey
from sitecrawl.storage.sent_chunks import GONE, SentChunks, SentPage
from tests.integration.feeding import add_pages


def page(key, site_id=1, **chunks):
    return SentPage(PageKey(site_id, key), "example.org", f"https://example.org/{key}", "m", chunks, {})


@pytest.fixture
def sent(engine):
    with session_scope(engine) as session:
        yield SentChunks(session, "sink a")


def test_a_reader_has_rows_of_its_own(sent):
    sent.put([page(1, a=5), page(2, b=6, c=0)])
    SentChunks(sent.session, "sink b").put([page(1, z=1)])
    found = sent.of([PageKey(1, 1), PageKey(1, 2), PageKey(2, 1), PageKey(1, 3)])
    assert found == {PageKey(1, 1): page(1, a=5), PageKey(1, 2): page(2, b=6, c=0)}
    sent.put([page(1, a=5, d=7)])
    sent.drop([PageKey(1, 2)])
    assert sent.after(None, 10) == [page(1, a=5, d=7)]


def test_rows_are_read_in_parts_and_doubted(sent):
    sent.put([page(key, site_id, a=9) for site_id in (1, 2) for key in range(1, 6)])
    read, after = [], None
    while part := sent.after(after, 3):
        read += [one.key for one in part]
        after = part[-1].key
    assert read == [PageKey(site_id, key) for site_id in (1, 2) for key in range(1, 6)]
    after = sent.doubt(None, 4)
    while after is not None:
        after = sent.doubt(after, 4)
    assert {one.chunks["a"] for one in sent.after(None, 100)} == {0}


def test_pages_without_content_are_left(engine):
    site_id = add_pages(engine, 2)
    with session_scope(engine) as session:
        sent = SentChunks(session, "export content")
        sent.put([page(1, site_id, a=1), page(7, site_id, b=1), page(8, site_id, c=1)._replace(made_of=GONE)])
        assert [one.key.url_key for one in sent.left("content", None, 10)] == [7]
        assert [one.key.url_key for one in sent.left("listing", [site_id], 10)] == [1, 7]
        assert sent.left("content", [site_id + 1], 10) == []
