import datetime as dt
from dataclasses import replace

import pytest

from sitecrawl.storage.contents import ContentRepository
from sitecrawl.storage.crawls import CrawlRepository
from sitecrawl.storage.db.engine import session_scope
from sitecrawl.storage.deletions import DeletionRepository
from sitecrawl.storage.exports import Chosen, ExportRepository, ListedPage
from sitecrawl.storage.pages import PageRepository, PageStatus
from sitecrawl.storage.sites import SiteRepository
from tests.fetched import fetched
from tests.unit.storage.test_contents import NOW, record

URLS = [
    "https://example.org/b",
    "https://example.org/B",
    "https://example.org/ä",
    "https://example.org/a-b",
    "https://example.org/a/b",
]


@pytest.fixture
def site_id(engine):
    with session_scope(engine) as session:
        site = SiteRepository(session).get_or_add("example.org", "https://example.org/", NOW)
        for key, url in enumerate(URLS, 1):
            fetch = fetched(key, url=url)
            PageRepository(session).record(site.id, [fetch])
            kind = "listing" if key == 2 else "content"
            ContentRepository(session).put(site.id, record(key=key, order=key, words=f"text {key}", kind=kind))
        PageRepository(session).record(
            site.id,
            [
                fetched(
                    9,
                    url="https://example.org/0",
                    status=PageStatus.ERROR,
                    reason="HTTP 500",
                    http_status=500,
                    html=None,
                )
            ],
        )
    return site.id


def listed(engine, site_id, size):
    """All pages, read in parts of a given size."""
    found, after = [], None
    while True:
        with session_scope(engine, write=False) as session:
            part = ExportRepository(session).pages(site_id, after, size)
        if not part:
            return found
        found += part
        after = part[-1]


def contents(engine, site_id, kind=None):
    with session_scope(engine, write=False) as session:
        exports = ExportRepository(session)
        return list(exports.contents(site_id, exports.pages(site_id, None), Chosen(kind)))


@pytest.mark.parametrize("size", [1, 2, 100])
def test_pages_come_by_the_bytes_of_their_urls_on_every_database(engine, site_id, size):
    urls = [page.url for page in listed(engine, site_id, size)]
    assert urls == sorted([*URLS, "https://example.org/0"], key=str.encode)


def test_contents_come_in_that_order_without_pages_that_have_none(engine, site_id):
    assert [one.url for one in contents(engine, site_id)] == sorted(URLS, key=str.encode)
    assert [one.url for one in contents(engine, site_id, "listing")] == ["https://example.org/B"]
    with session_scope(engine, write=False) as session:
        exports = ExportRepository(session)
        assert (exports.count([site_id]), exports.count([site_id], Chosen("listing"))) == (5, 1)
        assert list(exports.contents(site_id, [ListedPage("https://example.org/0", 9)])) == []


def test_the_newest_changes_come_first_in_parts(engine, site_id):
    days = [NOW + dt.timedelta(days=number) for number in range(3)]
    with session_scope(engine) as session:
        other = SiteRepository(session).get_or_add("a.example", "https://a.example/", NOW).id
        fetch = fetched(1, url="https://a.example/", html=None)
        PageRepository(session).record(other, [fetch])
        ContentRepository(session).put(other, record(extracted_at=days[1]))
        ContentRepository(session).put(site_id, record(3, 9, 2, "text 3 is another one", extracted_at=days[2]))
        DeletionRepository(session).carry_out(site_id, [4], 2, 10, days[1])
    chosen = Chosen(since=days[1])
    with session_scope(engine, write=False) as session:
        exports = ExportRepository(session)
        found = [exports.newest(None, chosen, start, 1) for start in range(4)]
        assert [(one.host, one.page.url_key) for part in found for one in part] == [
            *[("example.org", 3), ("a.example", 1), ("example.org", 4)]
        ]
        assert [one.page.url_key for one in exports.newest([site_id], chosen, 0, 9)] == [3, 4]
        assert [exports.count(ids, chosen) for ids in (None, [site_id], [other])] == [3, 2, 1]


def test_deleted_pages_are_left_out(engine, site_id):
    with session_scope(engine) as session:
        DeletionRepository(session).carry_out(site_id, [1], 1, 9, NOW)
    assert [one.url for one in contents(engine, site_id)] == sorted(URLS[1:], key=str.encode)


def test_a_visit_that_finds_the_same_text_leaves_no_trace(engine, site_id):
    before = contents(engine, site_id)
    later = NOW + dt.timedelta(days=1)
    with session_scope(engine) as session:
        status = ContentRepository(session).put(
            site_id, record(1, 2, 1, "text 1", extracted_at=later, confidence=0.5, template_version=7)
        )
    assert status == "unchanged"
    after = [one._replace(record=replace(one.record, crawl_id=1)) for one in contents(engine, site_id)]
    assert [one._replace(status="unchanged") for one in before if one.record.url_key == 1] == [
        one for one in after if one.record.url_key == 1
    ]
    assert [one for one in after if one.record.url_key != 1] == [one for one in before if one.record.url_key != 1]


def test_the_same_text_of_another_kind_is_stored_with_what_says_so(engine, site_id):
    later = NOW + dt.timedelta(days=1)
    again = record(1, 2, 1, "text 1", kind="listing", extracted_at=later, confidence=0.5, template_version=7)
    with session_scope(engine) as session:
        ContentRepository(session).put(site_id, again)
    found = next(one.record for one in contents(engine, site_id) if one.record.url_key == 1)
    assert (found.kind, found.confidence, found.template_version) == ("listing", 0.5, 7)
    assert found.extracted_at == NOW


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        (("combined", 3), ("combined", 4), ("combined", 3)),
        (("combined", None), ("combined", 4), ("combined", 4)),
        (("combined", 3), ("density", None), ("density", None)),
    ],
)
def test_the_same_text_stays_with_the_version_that_made_it(engine, site_id, before, after, kept):
    for crawl_id, (method, version) in enumerate((before, after), 2):
        with session_scope(engine) as session:
            one = record(1, crawl_id, 1, "again", method=method, template_version=version)
            ContentRepository(session).put(site_id, one)
    found = next(one.record for one in contents(engine, site_id) if one.record.url_key == 1)
    assert (found.method, found.template_version) == kept


def test_a_text_that_is_another_one_has_its_own_time(engine, site_id):
    later = NOW + dt.timedelta(days=1)
    with session_scope(engine) as session:
        ContentRepository(session).put(site_id, record(key=1, crawl_id=2, words="other", extracted_at=later))
    (changed,) = [one for one in contents(engine, site_id) if one.changed_at is not None]
    assert (changed.url, changed.changed_at, changed.record.extracted_at) == (URLS[0], later, later)


def chosen(engine, site_id, **choice):
    with session_scope(engine, write=False) as session:
        exports = ExportRepository(session)
        found = list(exports.contents(site_id, exports.pages(site_id, None), Chosen(**choice)))
        assert exports.count([site_id], Chosen(**choice)) == len(found)
    return sorted(one.record.url_key for one in found)


def test_what_was_extracted_or_deleted_since_a_time(engine, site_id):
    later = NOW + dt.timedelta(days=1)
    with session_scope(engine) as session:
        ContentRepository(session).put(site_id, record(5, 2, 1, "text 5", extracted_at=later))  # the same text
        ContentRepository(session).put(site_id, record(3, 2, 2, "another", extracted_at=later))
        ContentRepository(session).put(site_id, record(2, 2, 3, "text 2", extracted_at=later))  # of another kind now
        DeletionRepository(session).carry_out(site_id, [4], 2, 9, later)
    assert chosen(engine, site_id, since=later) == [2, 3, 4]
    assert chosen(engine, site_id, since=later + dt.timedelta(seconds=1)) == []
    assert chosen(engine, site_id, since=NOW) == [1, 2, 3, 4, 5]
    assert chosen(engine, site_id, since=later, kind="listing") == [2, 3, 4]  # 3 may have been a listing
    assert chosen(engine, site_id, since=NOW, kind="listing") == [4]  # a reader of that day never had 3


def test_what_the_last_crawl_of_a_site_found_new_or_changed_or_deleted(engine, site_id):
    with session_scope(engine) as session:
        crawls, contents = CrawlRepository(session), ContentRepository(session)
        last = [crawls.begin(site_id, NOW), crawls.finish(1, NOW, "finished", {}), crawls.begin(site_id, NOW)][-1].id
        other = SiteRepository(session).get_or_add("other.example", "https://other.example/", NOW).id
        assert crawls.begin(other, NOW).id > last > 1
        contents.put(site_id, record(1, last, 1, "text 1", kind="content"))  # the same text
        contents.put(site_id, record(3, last, 2, "another"))
        DeletionRepository(session).carry_out(site_id, [4], last, 9, NOW)
    assert chosen(engine, site_id, last_crawl=True) == [3, 4]
    # a deleted page is of no kind, and one that changed may have been a listing
    assert chosen(engine, site_id, last_crawl=True, kind="listing") == [3, 4]
