import dataclasses
import datetime as dt

import pytest
from sqlalchemy import text

from sitecrawl.links.urls import url_id, url_key
from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.duplicates import DuplicateRepository, Text
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.records import CANONICAL
from sitecrawl.storage.simhash_bands import BANDS, LEAST_CHARS
from sitecrawl.storage.sites import SiteRepository
from tests.fetched import fetched
from tests.unit.storage.test_contents import record

NOW = dt.datetime(2026, 3, 1, tzinfo=dt.UTC)
LONG = "a text that is long enough to be compared by its simhash " * 3
URLS = {key: f"https://example.org/{'x' * key}" for key in range(1, 7)}


def fetch(key):
    return fetched(key, url=URLS[key], html=None)


@pytest.fixture
def site(engine):
    return _Site(engine)


class _Site:
    """Six pages, discovered in the order of their keys, with longer URLs each."""

    def __init__(self, engine):
        self.engine = engine
        with session_scope(engine) as session:
            self.id = SiteRepository(session).get_or_add("example.org", URLS[1], NOW).id
            PageRepository(session).record(self.id, [fetch(key) for key in URLS])

    def text(self, key, digest="d", simhash=0, title="A title", words=LONG):
        return Text(key, digest * 32, simhash, len(words), title)

    def put(self, key, digest="d", simhash=0, title="A title", words=LONG, crawl_id=1):
        """Store a page as a crawl does; return the key of its original."""
        with session_scope(self.engine) as session:
            original = DuplicateRepository(session).original(self.id, self.text(key, digest, simhash, title, words))
            made = record(key=key, words=words, title=title, digest=digest * 32, simhash=simhash, crawl_id=crawl_id)
            made = dataclasses.replace(made, duplicate_of=original)
            ContentRepository(session).put(self.id, made, index=original is None)
        return self.key(original)

    def key(self, duplicate_of):
        return {url_id(url): key for key, url in URLS.items()}.get(duplicate_of)

    def originals(self):
        with session_scope(self.engine, write=False) as session:
            rows = session.execute(text("SELECT url_key, duplicate_of FROM content ORDER BY url_key")).all()
        return {key: self.key(duplicate_of) for key, duplicate_of in rows}

    def execute(self, statement):
        with session_scope(self.engine) as session:
            session.execute(text(statement))

    def resettle(self, key):
        with session_scope(self.engine) as session:
            return DuplicateRepository(session).resettle(self.id, URLS[key], 2, 100, NOW)

    def review(self, crawl_id=2):
        with session_scope(self.engine) as session:
            return DuplicateRepository(session).review(self.id, crawl_id, 100, NOW)

    def outbox(self):
        with session_scope(self.engine, write=False) as session:
            return sorted(session.scalars(text("SELECT url_key FROM outbox WHERE operation = 1")))


def test_the_original_is_the_earliest_page_with_the_same_text(site):
    assert site.put(3) is None
    assert site.put(2, simhash=99) == 3  # it was there first, though 2 was discovered earlier
    assert site.put(4) == 3
    assert site.put(3) is None
    assert site.put(5, digest="e", simhash=(1 << 64) - 1) is None
    assert site.originals() == {2: 3, 3: None, 4: 3, 5: None}


def test_near_texts_with_the_same_title(site):
    far = (1 << 64) - 1
    assert site.put(1, "a", far) is None
    assert site.put(2, "b", far ^ 0b1_0000_0000_0000_0001_0000_0000_0000_0001) == 1
    assert site.put(3, "c", far ^ 0b1111) is None


def test_the_nearest_original_wins_then_the_earliest(site):
    site.put(1, "a", 0b1110)
    site.put(2, "b", 0b1110 ^ (0b1111 << 20))
    site.put(3, "c", 0b0011 << 20)
    assert site.put(4, "e", 0b0001 << 20) == 3
    assert site.originals() == {1: None, 2: None, 3: None, 4: 3}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Page 2 - Site", "Site - Page 2", True),
        ("Page 2 - Site", "Page 3 - Site", False),
        ("Release 1.0", "Release 2.0", False),
        (None, "", True),
        (None, "A", False),
    ],
)
def test_titles_tell_pages_of_one_template_apart(site, one, other, same):
    site.put(1, "a", title=one)
    assert site.put(2, "b", title=other) == (1 if same else None)
    assert site.put(3, "a", title=other) == 1  # the very same text needs no title


def test_short_texts_are_compared_exactly_and_with_their_titles(site):
    short = "x" * (LEAST_CHARS - 1)
    site.put(1, "a", words=short)
    assert site.put(2, "b", words=short) is None
    assert site.put(3, "a", words=short, title="Another picture") is None
    assert site.put(4, "a", words=short) == 1
    assert site.put(5, "c", words=LONG) is None  # 1 and 2 have no bands


def test_pages_without_text_are_nobodys_duplicate(site):
    site.put(1, words="")
    assert site.put(2, words="") is None


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (f"status = {int(PageStatus.REDIRECTED)}", None),
        (f"status = {int(PageStatus.GONE)}", None),
        (f"status = {int(PageStatus.EXCLUDED)}", None),
        ("reason = 'noindex'", None),
        (f"status = {int(PageStatus.ERROR)}, reason = 'HTTP 500'", 1),
        (f"status = {int(PageStatus.UNCHANGED)}", 1),
    ],
)
def test_only_pages_that_an_index_may_hold_are_originals(site, change, expected):
    site.put(1)
    site.execute(f"UPDATE page SET {change} WHERE url_key = 1")
    assert site.put(2) == expected


def test_when_the_original_goes_the_duplicate_with_the_shortest_url_takes_its_place(site):
    for key in (1, 5, 3, 4):
        site.put(key)
    site.execute("UPDATE content SET text = '', digest = NULL WHERE url_key = 1")
    site.execute("DELETE FROM outbox")
    assert site.resettle(1) == 101
    assert site.originals() == {1: None, 3: None, 4: 3, 5: 3}
    assert site.outbox() == [3]
    assert site.put(6, "z", 0b1) == 3  # and others are compared with it


def test_a_duplicate_that_no_index_may_hold_does_not_take_the_place(site):
    for key in (1, 2, 3):
        site.put(key)
    site.execute("UPDATE page SET reason = 'noindex' WHERE url_key = 2")
    site.execute("UPDATE content SET text = '', digest = NULL WHERE url_key = 1")
    site.resettle(1)
    assert site.originals() == {1: None, 2: 3, 3: None}


def test_when_the_original_changes_its_duplicates_are_looked_at_again(site):
    for key in (1, 2, 3):
        site.put(key)
    site.put(4, "e", 0b1)
    assert site.originals() == {1: None, 2: 1, 3: 1, 4: 1}
    site.put(1, "f", 0xFFFF_FFFF, crawl_id=2)
    assert site.review(crawl_id=1) == 100
    assert site.originals() == {1: None, 2: 1, 3: 1, 4: 1}
    assert site.review() == 101
    assert site.originals() == {1: None, 2: None, 3: 2, 4: 2}
    assert site.review() == 100  # once is enough


def test_a_slight_change_of_the_original_keeps_its_duplicates(site):
    for key in (1, 2):
        site.put(key)
    site.put(1, "e", 0b11, crawl_id=2)
    assert site.review() == 100
    assert site.originals() == {1: None, 2: 1}


def test_the_feed_says_that_a_duplicate_has_become_an_original(site):
    for key in (1, 2):
        site.put(key)
    site.put(1, "f", 0xFFFF_FFFF, crawl_id=2)
    site.review()
    with session_scope(site.engine, write=False) as session:
        rows = list(ContentRepository(session).emitted(site.id, 2))
    assert [(row.record.url_key, row.status, row.record.duplicate_of) for row in rows] == [
        (1, "changed", None),
        (2, "changed", None),
    ]
    assert rows[1].record.emit_order == 101


@pytest.mark.parametrize(("digest", "original"), [("d", 1), ("e", None)])
def test_a_page_that_no_index_holds_is_given_to_it_unless_its_text_is_there(site, digest, original):
    site.put(1)
    site.put(2, digest, (1 << 64) - 1)
    site.execute("UPDATE content SET indexed = false, duplicate_of = NULL WHERE url_key = 2")
    site.execute("DELETE FROM outbox")
    with session_scope(site.engine) as session:
        DuplicateRepository(session).adopt(site.id, 2, NOW)
        indexed = ContentRepository(session).indexed(site.id, 2)
    assert (site.originals()[2], indexed) == (original, original is None)
    assert site.outbox() == ([] if original else [2])


@pytest.mark.parametrize(("digest", "original"), [("d", 1), ("e", None)])
def test_of_pages_with_one_text_that_name_a_dead_canonical_page_one_is_given_to_the_index(site, digest, original):
    site.put(1)
    site.put(2, digest, (1 << 64) - 1)
    bands = ", ".join(f"{name} = NULL" for name in BANDS)
    site.execute(f"UPDATE content SET indexed = false, duplicate_of = NULL, {bands}")
    site.execute("DELETE FROM outbox")
    site.execute(f"UPDATE page SET reason = '{CANONICAL}https://example.org/dead'")
    with session_scope(site.engine) as session:
        for key in (1, 2):
            DuplicateRepository(session).adopt(site.id, key, NOW)
    assert site.originals() == {1: None, 2: original}
    assert site.outbox() == ([1] if original else [1, 2])


def test_a_page_without_text_is_given_to_the_index_by_itself(site):
    site.put(1)
    bands = ", ".join(f"{name} = NULL" for name in BANDS)
    site.execute(f"UPDATE content SET indexed = false, digest = NULL, simhash = NULL, {bands} WHERE url_key = 1")
    with session_scope(site.engine) as session:
        DuplicateRepository(session).adopt(site.id, 1, NOW)
        assert ContentRepository(session).indexed(site.id, 1)


def test_a_page_follows_its_canonical_page(site):
    far = (1 << 64) - 1
    site.put(1)
    assert site.put(2, "e", far) is None
    with session_scope(site.engine) as session:
        DuplicateRepository(session).follow(site.id, 2, URLS[1])
    assert site.originals() == {1: None, 2: 1}
    assert site.put(3, "f", far) is None  # only originals are repeated


@pytest.mark.parametrize(("chars", "original"), [(LEAST_CHARS - 1, None), (LEAST_CHARS, 1)])
def test_texts_of_the_least_length_are_compared_without_their_titles(site, chars, original):
    site.put(1, words="x" * chars)
    assert site.put(2, words="x" * chars, title="Another one") == original
    assert site.put(3, words="x" * chars) == 1


def test_a_page_that_names_its_original_follows_it_whatever_both_say(site):
    """Until the original is in no index: then it is looked at like any other."""
    named = url_key(URLS[1])
    with session_scope(site.engine) as session:
        PageRepository(session).record(site.id, [fetch(1)._replace(url_key=named)])
    site.put(named)
    site.put(2, "e", (1 << 64) - 1)
    with session_scope(site.engine) as session:
        DuplicateRepository(session).follow(site.id, 2, URLS[1])
    site.execute(f"UPDATE page SET reason = '{CANONICAL}{URLS[1]}' WHERE url_key = 2")
    assert site.resettle(1) == 100
    assert site.originals() == {named: None, 2: 1}
    site.execute(f"UPDATE content SET indexed = false WHERE url_key = {named}")
    assert site.resettle(1) == 101
    assert site.originals() == {named: None, 2: None}
