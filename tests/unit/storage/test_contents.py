import dataclasses
import datetime as dt

import pytest
from sqlalchemy import select, text, update

from sitecrawl.links.anchor_texts import LinkText
from sitecrawl.storage.anchor_texts import LinkTextRepository
from sitecrawl.storage.content_change import Operation
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.exports import ExportRepository, ListedPage
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.records import ContentRecord
from sitecrawl.storage.sites import SiteRepository
from sitecrawl.storage.tables.models import PAGE
from tests.fetched import fetched

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)


def record(key=1, crawl_id=1, order=1, words="hello", **values):
    given = ContentRecord(
        url_key=key,
        kind="content",
        title="A title",
        text=words,
        html=None,
        description=None,
        author=None,
        published="2026-02",
        modified=None,
        language="en",
        image="http://example.org/a.png",
        section="News > Europe",
        words=len(words.split()),
        digest=f"{abs(hash(words)):032x}"[:32],
        simhash=(1 << 64) - 1,
        duplicate_of=None,
        method="combined",
        confidence=0.75,
        template_version=3,
        canonical_url=None,
        crawl_id=crawl_id,
        emit_order=order,
        extracted_at=NOW,
    )
    return dataclasses.replace(given, **values)


@pytest.fixture
def site_id(engine):
    with session_scope(engine) as session:
        site = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW)
        fetches = [fetched(key, depth=2) for key in (1, 2, 3)]
        PageRepository(session).record(site.id, fetches)
    return site.id


@pytest.fixture
def put(engine, site_id):
    def put(one, **options):
        with session_scope(engine) as session:
            return ContentRepository(session).put(site_id, one, **options)

    return put


def outbox(engine):
    with session_scope(engine, write=False) as session:
        return [tuple(row) for row in session.execute(text("SELECT url_key, operation, revision FROM outbox"))]


def test_status_follows_the_digest(engine, put):
    assert put(record(crawl_id=1)) == "new"
    assert put(record(crawl_id=2)) == "unchanged"
    assert put(record(crawl_id=3, words="hello again")) == "changed"
    assert put(record(crawl_id=4, words="hello again")) == "unchanged"
    assert outbox(engine) == [(1, 1, 2)]


def test_a_page_of_another_kind_has_changed_though_its_text_stands(engine, put):
    assert put(record(crawl_id=1)) == "new"
    assert put(record(crawl_id=2, kind="listing")) == "changed"
    assert put(record(crawl_id=3, kind="listing")) == "unchanged"
    assert outbox(engine) == [(1, 1, 2)]


def test_the_same_operation_run_twice_says_the_same(put):
    assert [put(record()), put(record())] == ["new", "new"]
    put(record(crawl_id=2, words="other"))
    assert put(record(crawl_id=2, words="other")) == "changed"


def test_a_page_that_forbids_indexing_is_not_queued(engine, put):
    put(record(), index=False)
    assert outbox(engine) == []


def test_every_column_comes_back(engine, site_id, put):
    one = record(
        words="grün\n- ß 漢字 🎈", description="d", author="a", duplicate_of="f" * 32, canonical_url="https://c/"
    )
    put(one)
    with session_scope(engine, write=False) as session:
        (stored,) = ContentRepository(session).emitted(site_id, 1)
    assert stored.record == one
    assert (stored.status, stored.url, stored.http_status, stored.depth) == ("new", "https://example.org/1", 200, 2)
    assert stored.fetched_at == NOW


def test_text_that_a_database_refuses_is_cleaned(engine, site_id, put):
    put(record(words="a\x00b\ud800c", title="t\x00"))
    with session_scope(engine, write=False) as session:
        (stored,) = ContentRepository(session).emitted(site_id, 1)
    assert (stored.record.text, stored.record.title) == ("abc", "t")


def test_rows_come_back_in_the_order_of_the_feed(engine, site_id, put):
    for key, order in ((1, 3), (2, 1), (3, 2)):
        put(record(key=key, order=order))
    with session_scope(engine, write=False) as session:
        contents = ContentRepository(session)
        assert [stored.record.url_key for stored in contents.emitted(site_id, 1)] == [2, 3, 1]
        assert [stored.record.url_key for stored in contents.emitted(site_id, 1, after=1, last=2)] == [3]
        assert [stored.record.url_key for stored in contents.emitted(site_id, 1, limit=2)] == [2, 3]
        assert list(contents.emitted(site_id, 2)) == []
        assert contents.last_emitted(site_id, 1) == 3
        assert contents.last_emitted(site_id, 2) == 0


def test_counts_by_kind_and_status(engine, site_id, put):
    put(record(key=1))
    put(record(key=2, words="two"))
    put(record(key=3, kind="listing", words="three"))
    put(record(key=3, kind="listing", words="four", crawl_id=2))
    with session_scope(engine, write=False) as session:
        contents = ContentRepository(session)
        assert contents.counts(site_id, 1) == {("content", "new"): 2}
        assert contents.counts(site_id, 2) == {("listing", "changed"): 1}


def test_forgetting_a_site_leaves_only_the_deletions_to_send(engine, put, site_id):
    put(record())
    with session_scope(engine) as session:
        SiteRepository(session).forget("example.org")
    with session_scope(engine, write=False) as session:
        for table in ("site", "page", "body", "content", "search"):
            assert session.scalar(text(f"SELECT count(*) FROM {table}")) == 0, table
        queued = session.execute(text("SELECT operation, revision, url FROM outbox")).all()
    assert [tuple(row) for row in queued] == [(2, 2, "https://example.org/1")]


def test_what_an_index_shows_is_queued_though_the_text_is_the_same(engine, put):
    put(record())
    assert put(record(crawl_id=2, method="other", template_version=9)) == "unchanged"
    assert outbox(engine) == [(1, 1, 1)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("title", "A better title"), ("description", "more"), ("author", "someone"), ("published", "2026-03-01")),
        *(("modified", "2026-03-02"), ("language", "de"), ("image", None), ("section", "News")),
        *(("html", '<p><a href="/elsewhere">hello</a></p>'), ("text", "hello!")),
    ],
)
def test_what_is_sent_besides_the_words_is_queued_alone_and_the_status_stays(engine, put, name, value):
    value = {name: value, "digest": "0" * 32}
    put(record(html="<p>hello</p>", digest="0" * 32))
    assert put(record(crawl_id=2, **{"html": "<p>hello</p>", **value})) == "unchanged"
    assert outbox(engine) == [(1, 1, 2)]
    assert put(record(crawl_id=3, **{"html": "<p>hello</p>", **value})) == "unchanged"
    assert outbox(engine) == [(1, 1, 2)]


def test_a_page_that_comes_to_forbid_indexing_is_withdrawn_once_and_comes_back(engine, put):
    put(record())
    put(record(crawl_id=2), index=False)
    put(record(crawl_id=3), index=False)
    assert outbox(engine) == [(1, 2, 2)]
    assert put(record(crawl_id=4)) == "changed"  # readers of the feed may have left it out
    assert outbox(engine) == [(1, 1, 3)]


def test_the_text_before_the_last_change_is_kept(engine, site_id, put):
    def earlier():
        with session_scope(engine, write=False) as session:
            return ContentRepository(session).get(site_id, 1).earlier

    def crawled(crawl_id, words):
        put(record(crawl_id=crawl_id, words=words, digest=f"{words:f>32}"))
        return earlier()

    assert crawled(1, "one") is None
    assert crawled(1, "a") is None  # extracted again by a decision of its layout: readers have one new row
    assert crawled(2, "a") is None
    assert crawled(3, "b") == "a"
    assert crawled(3, "c") == "a"
    assert crawled(4, "c") == "a"
    assert crawled(5, "d") == "c"


def test_a_part_of_the_rows_of_a_crawl_is_read(engine, site_id, put):
    for key, words in ((1, "one"), (2, "two"), (3, "three")):
        put(record(key=key, words=words, order=key))
    with session_scope(engine) as session:
        contents = ContentRepository(session)
        contents.unchanged(site_id, 3, 2, 4)

        def rows(crawl_id=1, **how):
            return [row.record.url_key for row in contents.emitted(site_id, crawl_id, **how)]

        assert rows() == [1, 2]
        assert (rows(after=1), rows(after=2), rows(last=1), rows(last=2), rows(limit=1)) == ([2], [], [1], [1, 2], [1])
        assert (rows(2), rows(2, unchanged=False), rows(unchanged=False)) == ([3], [], [1, 2])
        assert [contents.last_emitted(site_id, crawl) for crawl in (1, 2, 3)] == [2, 4, 0]


@pytest.mark.parametrize(
    ("index", "duplicate_of", "reason", "noindex"),
    [
        (True, None, None, False),
        (False, None, "noindex", True),
        (False, None, "HTTP 500", True),
        (False, "1" * 32, "noindex", False),
        (False, None, "canonical: https://example.org/a", False),
    ],
)
def test_rows_say_which_pages_forbid_indexing(engine, site_id, put, index, duplicate_of, reason, noindex):
    put(record(duplicate_of=duplicate_of), index=index)
    with session_scope(engine) as session:
        session.execute(update(PAGE).values(reason=reason))
    with session_scope(engine, write=False) as session:
        assert ContentRepository(session).get(site_id, 1).noindex is noindex
        (kept,) = ExportRepository(session).contents(site_id, [ListedPage("https://example.org/1", 1)])
        assert kept.noindex is noindex


def stored(engine, columns, key=1):
    with session_scope(engine, write=False) as session:
        return tuple(session.execute(text(f"SELECT {columns} FROM content WHERE url_key = {key}")).one())


def link(engine, site_id, source, *texts):
    """Let page `source` link to page 1 with these texts."""
    with session_scope(engine) as session:
        LinkTextRepository(session).record(site_id, source, [LinkText(1, one) for one in texts])


def anchors(engine, site_id):
    with session_scope(engine, write=False) as session:
        return ContentRepository(session).get(site_id, 1).record.anchors


def test_a_page_is_stored_with_the_texts_of_links_to_it_when_an_index_is_told(engine, site_id, put):
    link(engine, site_id, 2, "about the harbour")
    put(record())
    assert anchors(engine, site_id) == ("about the harbour",)
    link(engine, site_id, 3, "a story")
    put(record(crawl_id=2))
    assert anchors(engine, site_id) == ("about the harbour",)
    put(record(crawl_id=3, title="Another"))
    assert anchors(engine, site_id) == ("a story", "about the harbour")


def test_indexes_are_told_of_other_texts_of_links_once(engine, site_id, put):
    def relink(key=1):
        with session_scope(engine) as session:
            return ContentRepository(session).relink(site_id, key, NOW)

    put(record())
    assert (relink(), outbox(engine)) == (False, [(1, 1, 1)])
    link(engine, site_id, 2, "a story")
    assert (relink(), relink()) == (True, False)
    assert outbox(engine) == [(1, 1, 2)]
    assert anchors(engine, site_id) == ("a story",)
    put(record(key=2), index=False)
    assert relink(2) is False
    with session_scope(engine, write=False) as session:
        assert ContentRepository(session).indexed(site_id, 1) is True
        assert [ContentRepository(session).indexed(site_id, key) for key in (2, 99)] == [False, False]


def searched(engine):
    with session_scope(engine, write=False) as session:
        return list(session.scalars(text("SELECT url_key FROM search ORDER BY url_key")))


def test_the_built_in_search_holds_what_an_index_holds(engine, site_id, put):
    put(record())
    put(record(key=2), index=False)
    assert searched(engine) == [1]
    put(record(crawl_id=2), index=False)
    assert searched(engine) == []
    with session_scope(engine) as session:
        contents = ContentRepository(session)
        contents.queue(site_id, 1, Operation.UPSERT, NOW)
        contents.queue(site_id, 2, Operation.DELETE, NOW)
    assert searched(engine) == [1]
    assert outbox(engine) == [(1, 1, 3), (2, 2, 1)]
    with session_scope(engine) as session:
        ContentRepository(session).queue(site_id, 1, Operation.DELETE, NOW)
    assert searched(engine) == []


def test_the_status_of_a_page_and_the_time_of_its_change_follow_its_content(engine, site_id, put):
    def page():
        with session_scope(engine, write=False) as session:
            columns = (PAGE.c.status, PAGE.c.changed_at)
            return tuple(session.execute(select(*columns).where(PAGE.c.url_key == 1)).one())

    later = [NOW + dt.timedelta(days=days) for days in range(4)]
    put(record())
    assert page() == (int(PageStatus.FETCHED), None)
    put(record(crawl_id=2, extracted_at=later[1]))
    assert page() == (int(PageStatus.UNCHANGED), None)
    put(record(crawl_id=3, words="another text", extracted_at=later[2]))
    assert page()[1] == later[2]


def test_a_page_that_was_not_modified_is_unchanged_unless_it_is_deleted(engine, site_id, put):
    for key in (1, 2):
        put(record(key=key))
    with session_scope(engine) as session:
        session.execute(text("UPDATE content SET status = 'gone' WHERE url_key = 2"))
        for key in (1, 2):
            ContentRepository(session).unchanged(site_id, key, 5, 6)
    assert stored(engine, "status, crawl_id, emit_order") == ("unchanged", 5, 6)
    assert stored(engine, "status, crawl_id, emit_order", 2) == ("gone", 1, 1)
