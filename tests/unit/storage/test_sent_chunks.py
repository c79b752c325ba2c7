import pytest
from sqlalchemy import text

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


def test_a_reader_that_is_forgotten_has_nothing(sent):
    other = SentChunks(sent.session, "sink b")
    for reader in (sent, other):
        reader.put([page(1, a=5)])
    sent.forget()
    assert (sent.after(None, 9), other.after(None, 9)) == ([], [page(1, a=5)])


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


def test_pages_of_one_key_on_two_sites_are_told_apart(sent):
    sent.put([page(1, 1, a=1), page(2, 1, b=1), page(1, 2, c=1), page(2, 2, d=1)])
    assert set(sent.of([PageKey(1, 1), PageKey(2, 2)])) == {PageKey(1, 1), PageKey(2, 2)}
    sent.drop([PageKey(1, 1), PageKey(2, 2)])
    assert [one.key for one in sent.after(None, 9)] == [PageKey(1, 2), PageKey(2, 1)]
    SentChunks(sent.session, "sink b").drop([PageKey(1, 2)])
    assert len(sent.after(None, 9)) == 2


def test_what_is_doubted_is_made_of_nothing_and_its_tombstones_stay(sent):
    sent.put([page(key, a=9)._replace(gone={"x": 5}) for key in (1, 2)])
    assert sent.doubt(None, 2) == PageKey(1, 2)
    assert sent.doubt(PageKey(1, 2), 2) is None
    assert sent.after(None, 9) == [page(key, a=0)._replace(gone={"x": 5}, made_of="") for key in (1, 2)]


@pytest.mark.parametrize(
    ("change", "left"),
    [
        ("status = 'unchanged'", []),
        ("status = 'gone'", [1]),
        ("duplicate_of = 'f'", [1]),
        ("kind = 'listing'", [1]),
        ("indexed = false", [1]),
    ],
)
def test_pages_that_are_gone_or_duplicates_or_of_another_kind_or_not_to_be_indexed_are_left(engine, change, left):
    site_id = add_pages(engine, 2)
    with session_scope(engine) as session:
        session.execute(text(f"UPDATE content SET {change} WHERE url_key = 1"))
        sent = SentChunks(session, "export content")
        sent.put([page(key, site_id, a=1) for key in (1, 2)])
        assert [one.key.url_key for one in sent.left("content", None, 10)] == left
        anything = [one.key.url_key for one in sent.left(None, None, 10)]
        assert anything == ([] if "kind" in change else left)
        session.execute(text("UPDATE page SET reason = 'canonical: https://example.org/a'"))
        named = [one.key.url_key for one in sent.left("content", None, 10)]
        assert named == ([] if "indexed" in change else left)  # the end of the crawl decides
        sent.put([page(key, site_id, a=1) for key in (7, 8)])
        assert len(sent.left("content", None, 1)) == 1
        assert SentChunks(session, "sink b").left("content", None, 10) == []
